//===- ValueMap.h - maps a kernel's values to the SIMD code's ---------------===//
// A uniform value, or one that is strided by a constant, is held as one scalar. For a value that is
// strided in blocks of lanes, the map holds the scalars of the blocks' first lanes. Any other value
// is held as a vector. The map converts between scalars and vectors when needed.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/lane_passes/LaneAnalysis.h"
#include "compiler/cpu/simd/LaneBuilder.h"

namespace pumice::cpu {

/// Supplies values that a ValueMap does not hold. It is also notified of values that the map
/// defines.
class ValueSource {
public:
  virtual ~ValueSource() = default;
  /// Emits a leaf (isLeaf) where it is used.
  virtual mlir::Value emitLeaf(mlir::Operation *op) = 0;
  /// Defines a value of another segment for the current subgroup.
  virtual void bring(mlir::Value value) = 0;
  /// Returns whether other segments need this value. If so, `keep` is called with its definition.
  virtual bool isKept(mlir::Value value) = 0;
  virtual void keep(mlir::Value value, mlir::Value as) = 0;
};

/// Returns whether a value is emitted at each use. It costs nothing, or is the same for the whole
/// launch.
bool isLeaf(mlir::Value value);
/// Returns whether values of this type can be addresses, or numbers from which addresses are
/// computed.
bool isForAddresses(mlir::Type type);

class ValueMap {
public:
  using Value = mlir::Value;

  ValueMap(LaneBuilder &b, const LaneAnalysis &analysis, ValueSource &source);

  /// Forgets the values of the previous subgroup. From now on, definitions belong to the next
  /// subgroup.
  void startSubgroup();
  /// From now on, definitions belong to the workgroup.
  void endSubgroup() { ofWorkgroup = true; }

  /// Defines a value as a scalar if its shape allows it, and otherwise as a vector.
  void define(Value value, Value as);
  /// Defines a value by the scalars of the first lanes of its blocks.
  void defineFirsts(Value value, llvm::ArrayRef<Value> firsts);
  /// Defines a value for the current subgroup only.
  void defineHere(Value value, Value as) { here[value] = as; }

  /// Returns the scalar of a value that is held as a scalar.
  Value scalar(Value value) { return find(value); }
  /// Returns a value as a vector.
  Value vector(Value value);
  /// Returns the value in one lane, as a scalar.
  Value laneOf(Value value, unsigned lane);
  /// Returns the number of blocks if values of this shape are held in blocks, or else 0.
  unsigned blocksOf(const Shape &shape) const;

private:
  Value find(Value value);
  Value spread(Value first, const Shape &shape);
  Value joined(Value value);

  LaneBuilder &b;
  const LaneAnalysis &analysis;
  ValueSource &source;
  bool ofWorkgroup = true;
  llvm::DenseMap<Value, Value> groupValues, here; // of the workgroup; of the current subgroup
  llvm::DenseMap<Value, llvm::SmallVector<Value>> firstsHere;
};

} // namespace pumice::cpu
