//===- ValueMap.h - the SIMD code's values of a kernel's values -------------===//
// A value is held as one scalar if its shape is one (uniform, or strided by a constant), as the
// first lanes' scalars if it is strided in blocks of lanes, and otherwise as a vector. The map
// makes a vector of scalars, or a scalar of a vector, if one is needed.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/lane_passes/LaneAnalysis.h"
#include "compiler/cpu/simd/LaneBuilder.h"

namespace pumice::cpu {

/// Supplies the values that a ValueMap does not hold, and sees those that are defined.
class ValueSource {
public:
  virtual ~ValueSource() = default;
  /// Emits a leaf (isLeaf) at the place where it is used.
  virtual mlir::Value emitLeaf(mlir::Operation *op) = 0;
  /// Defines a value of another segment for the subgroup at hand.
  virtual void bring(mlir::Value value) = 0;
  /// Tells whether other segments need what is defined of `value` here; `keep` then gets it.
  virtual bool isKept(mlir::Value value) = 0;
  virtual void keep(mlir::Value value, mlir::Value as) = 0;
};

/// Tells whether a value is emitted wherever it is used: it costs nothing, or holds for the launch.
bool isLeaf(mlir::Value value);
/// Tells whether values of this type can be addresses or parts of them.
bool isForAddresses(mlir::Type type);

class ValueMap {
public:
  using Value = mlir::Value;

  ValueMap(LaneBuilder &b, const LaneAnalysis &analysis, ValueSource &source);

  /// Forgets the values of the subgroup before. What is defined now belongs to the next one.
  void startSubgroup();
  /// What is defined from now on belongs to the workgroup.
  void endSubgroup() { ofWorkgroup = true; }

  /// Defines a value: a scalar if its shape is one, else a vector.
  void define(Value value, Value as);
  /// Defines a value by the scalars of its blocks' first lanes.
  void defineFirsts(Value value, llvm::ArrayRef<Value> firsts);
  /// Defines a value for the subgroup at hand only.
  void defineHere(Value value, Value as) { here[value] = as; }

  /// Returns the scalar of a value whose shape is one.
  Value scalar(Value value) { return find(value); }
  /// Returns a value as a vector.
  Value vector(Value value);
  /// Returns what one lane holds of a value, as a scalar.
  Value laneOf(Value value, unsigned lane);
  /// Returns the number of blocks in which values of this shape are held; 0: in none.
  unsigned blocksOf(const Shape &shape) const;

private:
  Value find(Value value);
  Value spread(Value first, const Shape &shape);
  Value joined(Value value);

  LaneBuilder &b;
  const LaneAnalysis &analysis;
  ValueSource &source;
  bool ofWorkgroup = true;
  llvm::DenseMap<Value, Value> groupValues, here; // of the workgroup; of the subgroup at hand
  llvm::DenseMap<Value, llvm::SmallVector<Value>> firstsHere;
};

} // namespace pumice::cpu
