//===- Variables.h - places a kernel's variables in memory ------------------===//
// Decides where the variables, arrays and private memory of a subgroup's lanes are. A variable is
// on the stack, so that LLVM can turn it into values.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/lane_passes/LaneAnalysis.h"
#include "compiler/cpu/simd/LaneBuilder.h"

namespace pumice::cpu {

class Variables {
public:
  using Value = mlir::Value;

  Variables(LaneBuilder &b, const LaneAnalysis &analysis) : b(b), analysis(analysis) {}

  /// Returns the memory of a variable. It holds a scalar if the lanes agree, and otherwise a
  /// vector.
  Value slotOf(Value variable);
  /// Returns the memory of a variable that is held as the first lanes of blocks.
  Value slotOfFirsts(Value variable, unsigned blocks);

  /// Returns the memory of a declaration, or null if it has not been placed yet.
  Value placeOf(Value declaration) const { return places.lookup(declaration); }
  Value place(Value declaration, Value memory) { return places[declaration] = memory; }

  /// Marks a set as done, because the computation of its value stored the value in the variable.
  void setInPlace(mlir::Operation *set) { setsInPlace.insert(set); }
  bool isSetInPlace(mlir::Operation *set) const { return setsInPlace.contains(set); }

private:
  LaneBuilder &b;
  const LaneAnalysis &analysis;
  llvm::DenseMap<Value, Value> places;
  llvm::DenseSet<mlir::Operation *> setsInPlace;
};

} // namespace pumice::cpu
