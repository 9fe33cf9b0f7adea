//===- WorkgroupPlan.h - a workgroup's code in segments between barriers ---------===//
// Blocks that are executed once for the workgroup are cut into items; a segment among them becomes
// a loop over the subgroups. What lives from one segment to another is kept per subgroup.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/lane_passes/LaneAnalysis.h"

#include "llvm/ADT/MapVector.h"

namespace pumice::cpu {

/// A step of a block that the workgroup executes as one.
struct PlanItem {
  enum Kind { Scalar, Assign, Segment, Barrier, Construct, Terminator };
  Kind kind;
  mlir::Operation *op = nullptr;            // all but segments
  llvm::SmallVector<mlir::Operation *> ops; // segments
  unsigned segment = 0;                     // of a segment, or a construct's condition
};

/// Memory in a subgroup's part of the scratch memory.
struct KeptPlace {
  int64_t offset = 0;
};

class SimdPlan {
public:
  SimdPlan(mlir::func::FuncOp kernel, const LaneAnalysis &analysis);

  llvm::ArrayRef<PlanItem> items(mlir::Block *block) const { return blocks.find(block)->second; }
  /// The segment that executes `op`; 0: none, it belongs to the workgroup.
  unsigned segmentOf(mlir::Operation *op) const;
  /// Computed again where it is needed, since that costs less than keeping it.
  bool isRecomputed(mlir::Value value) const { return recomputed.contains(value); }
  /// Where a value, variable, array or private block is kept; null where it need not be.
  const KeptPlace *kept(mlir::Value value) const;
  /// Masks: of the lanes that still run, and of those that wait for a construct's end or
  /// continuing region.
  bool keepsMask() const { return runningMask >= 0; }
  int64_t maskPlace() const { return runningMask; }
  int64_t leftPlace(mlir::Operation *construct) const { return left.lookup(construct); }
  int64_t continuedPlace(mlir::Operation *loop) const { return continued.lookup(loop); }
  /// Of the lanes that have not yet gone their way of a selection.
  int64_t othersPlace(mlir::Operation *selection) const { return others.lookup(selection); }
  int64_t bytesPerSubgroup() const { return bytesOfOne; }
  int64_t bytes() const { return bytesOfOne * analysis.workgroup().subgroups(); }
  bool fitsOnStack() const { return bytes() <= (16 << 10); }
  /// Whether variables that are accessed in `segment` live longer than it.
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
  llvm::MapVector<mlir::Block *, std::vector<PlanItem>> blocks; // in text order
  llvm::DenseMap<mlir::Operation *, unsigned> segments;
  llvm::DenseMap<mlir::Value, KeptPlace> places;
  llvm::DenseMap<unsigned, llvm::SmallVector<mlir::Value>> variables;
  llvm::DenseSet<mlir::Value> recomputed;
  llvm::DenseMap<mlir::Operation *, int64_t> left, continued, others;
  unsigned nextSegment = 0;
  int64_t bytesOfOne = 0, runningMask = -1;
};

/// The bytes of a scalar in memory; a truth value takes one.
int64_t bytesOf(mlir::Type scalar);

} // namespace pumice::cpu
