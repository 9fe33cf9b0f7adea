//===- WorkgroupPlan.h - plans segments between a workgroup's barriers ------===//
// Blocks that run once per workgroup are divided into items. An item that is a segment becomes a
// loop over the subgroups. Values that are used in another segment than their own are kept in
// memory for each subgroup.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/lane_passes/LaneAnalysis.h"

#include "llvm/ADT/MapVector.h"

namespace pumice::cpu {

/// One step of a block that runs once per workgroup.
struct PlanItem {
  enum Kind { Scalar, Assign, Segment, Barrier, Construct, Terminator };
  Kind kind;
  mlir::Operation *op = nullptr;            // null for segments
  llvm::SmallVector<mlir::Operation *> ops; // for segments
  unsigned segment = 0; // the segment's number, or that of a construct's condition
};

/// A place in the part of the scratch memory that belongs to a subgroup.
struct KeptPlace {
  int64_t offset = 0;
};

class SimdPlan {
public:
  SimdPlan(mlir::func::FuncOp kernel, const LaneAnalysis &analysis);

  llvm::ArrayRef<PlanItem> items(mlir::Block *block) const { return blocks.find(block)->second; }
  /// Returns the segment that executes `op`, or 0 if `op` runs once per workgroup.
  unsigned segmentOf(mlir::Operation *op) const;
  /// Returns whether a value is computed again where it is used, because that costs less than
  /// keeping it.
  bool isRecomputed(mlir::Value value) const { return recomputed.contains(value); }
  /// Returns where a value, variable, array or private block is kept, or null if it is not kept.
  const KeptPlace *kept(mlir::Value value) const;
  /// The following functions return places of masks. Some lanes still run, and others wait for the
  /// end of a construct or for its continuing region.
  bool keepsMask() const { return runningMask >= 0; }
  int64_t maskPlace() const { return runningMask; }
  int64_t leftPlace(mlir::Operation *construct) const { return left.lookup(construct); }
  int64_t continuedPlace(mlir::Operation *loop) const { return continued.lookup(loop); }
  /// Returns the place of the mask of lanes that have not yet taken their arm of a selection.
  int64_t othersPlace(mlir::Operation *selection) const { return others.lookup(selection); }
  int64_t bytesPerSubgroup() const { return bytesOfOne; }
  int64_t bytes() const { return bytesOfOne * analysis.workgroup().subgroups(); }
  bool fitsOnStack() const { return bytes() <= (16 << 10); }
  /// Returns the variables that `segment` accesses and that outlive it.
  llvm::ArrayRef<mlir::Value> keptVariables(unsigned segment) const;

private:
  void cutBlock(mlir::Block &block);
  void placeValues();
  void placeVariable(lane::VarOp var);
  void placeMemory(mlir::Operation *op);
  void placeMasks();
  bool isCheap(mlir::Value value, unsigned &cost) const;
  bool livesInOneSegment(mlir::Operation *declaration) const;
  int64_t allocate(int64_t size, int64_t alignment);
  int64_t allocateFor(mlir::Type type, bool scalar);

  mlir::func::FuncOp kernel;
  const LaneAnalysis &analysis;
  llvm::MapVector<mlir::Block *, std::vector<PlanItem>> blocks; // in program order
  llvm::DenseMap<mlir::Operation *, unsigned> segments;
  llvm::DenseMap<mlir::Value, KeptPlace> places;
  llvm::DenseMap<unsigned, llvm::SmallVector<mlir::Value>> variables;
  llvm::DenseSet<mlir::Value> recomputed;
  llvm::DenseMap<mlir::Operation *, int64_t> left, continued, others;
  unsigned nextSegment = 0;
  int64_t bytesOfOne = 0, runningMask = -1;
};

/// Returns the number of bytes of a scalar in memory. A truth value takes one byte.
int64_t bytesOf(mlir::Type scalar);

} // namespace pumice::cpu
