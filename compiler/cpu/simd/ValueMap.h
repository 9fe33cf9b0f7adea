//===- ValueMap.h - maps a kernel's values to the SIMD code's -------------===//
// A value is held as one scalar if it is uniform, or strided by a constant. If it is strided in
// blocks of lanes, the map holds the scalars of the blocks' first lanes. Otherwise it holds a
// vector. The map converts scalars to vectors, and vectors to scalars, when needed.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/lane_passes/LaneAnalysis.h"
#include "compiler/cpu/simd/LaneBuilder.h"

namespace pumice::cpu {

/// Supplies values that a ValueMap does not hold, and is notified of values that it defines.
class ValueSource {
public:
  virtual ~ValueSource() = default;
  /// Emits a leaf (isLeaf) at its place of use.
  virtual mlir::Value emitLeaf(mlir::Operation *op) = 0;
  /// Defines another segment's value for the current subgroup.
  virtual void bring(mlir::Value value) = 0;
  /// Returns whether other segments need this value. If so, `keep` gets its definition.
  virtual bool isKept(mlir::Value value) = 0;
  virtual void keep(mlir::Value value, mlir::Value as) = 0;
};

/// Returns whether a value is emitted at each use, because it costs nothing or is the same for the
/// whole launch.
bool isLeaf(mlir::Value value);
/// Returns whether values of this type can be addresses or parts of them.
bool isForAddresses(mlir::Type type);

class ValueMap {
public:
  using Value = mlir::Value;

  ValueMap(LaneBuilder &b, const LaneAnalysis &analysis, ValueSource &source);

  /// Forgets the values of the previous subgroup. New definitions belong to the next subgroup.
  void startSubgroup();
  /// Makes new definitions belong to the workgroup.
  void endSubgroup() { ofWorkgroup = true; }

  /// Defines a value: by a scalar if its shape allows one, or else by a vector.
  void define(Value value, Value as);
  /// Defines a value by the scalars of its blocks' first lanes.
  void defineFirsts(Value value, llvm::ArrayRef<Value> firsts);
  /// Defines a value for the current subgroup only.
  void defineHere(Value value, Value as) { here[value] = as; }

  /// Returns the scalar of a value that is held as one.
  Value scalar(Value value) { return find(value); }
  /// Returns a value as a vector.
  Value vector(Value value);
  /// Returns the value in one lane, as a scalar.
  Value laneOf(Value value, unsigned lane);
  /// Returns the number of blocks in which values of this shape are held, or 0 for other shapes.
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
