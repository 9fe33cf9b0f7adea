//===- Variables.h - where a kernel's variables lie -------------------------===//
// Variables, arrays and private memory of a subgroup's lanes. A variable lies on the stack, of
// which LLVM makes values.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/lane_passes/LaneAnalysis.h"
#include "compiler/cpu/simd/LaneBuilder.h"

namespace pumice::cpu {

class Variables {
public:
  using Value = mlir::Value;

  Variables(LaneBuilder &b, const LaneAnalysis &analysis) : b(b), analysis(analysis) {}

  /// Returns the memory of a variable: a scalar's if its lanes agree, else a vector's.
  Value slotOf(Value variable);
  /// Returns the memory of a variable of which the first lane of each block is kept.
  Value slotOfFirsts(Value variable, unsigned blocks);

  /// Returns where a declaration's memory lies; null before it has been placed.
  Value placeOf(Value declaration) const { return places.lookup(declaration); }
  Value place(Value declaration, Value memory) { return places[declaration] = memory; }

  /// Marks a set whose value is in the variable already: what computed it has put it there.
  void setInPlace(mlir::Operation *set) { setsInPlace.insert(set); }
  bool isSetInPlace(mlir::Operation *set) const { return setsInPlace.contains(set); }

private:
  LaneBuilder &b;
  const LaneAnalysis &analysis;
  llvm::DenseMap<Value, Value> places;
  llvm::DenseSet<mlir::Operation *> setsInPlace;
};

} // namespace pumice::cpu
