//===- Variables.h - places a kernel's variables in memory ------------------===//
// Places variables, arrays and private memory of a subgroup's lanes. A variable is on the stack, so
// that LLVM can turn it into values.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/lane_passes/LaneAnalysis.h"
#include "compiler/cpu/simd/LaneBuilder.h"

namespace pumice::cpu {

class Variables {
public:
  using Value = mlir::Value;

  Variables(LaneBuilder &b, const LaneAnalysis &analysis) : b(b), analysis(analysis) {}

  /// Returns the memory of a variable. It holds a scalar if the lanes agree, and else a vector.
  Value slotOf(Value variable);
  /// Returns the memory of a variable that holds the first lane of each block.
  Value slotOfFirsts(Value variable, unsigned blocks);

  /// Returns the memory of a declaration, or null before it has been placed.
  Value placeOf(Value declaration) const { return places.lookup(declaration); }
  Value place(Value declaration, Value memory) { return places[declaration] = memory; }

  /// Marks a set whose value is in the variable already, because its computation stored it there.
  void setInPlace(mlir::Operation *set) { setsInPlace.insert(set); }
  bool isSetInPlace(mlir::Operation *set) const { return setsInPlace.contains(set); }

private:
  LaneBuilder &b;
  const LaneAnalysis &analysis;
  llvm::DenseMap<Value, Value> places;
  llvm::DenseSet<mlir::Operation *> setsInPlace;
};

} // namespace pumice::cpu
