//===- WorkgroupSegments.h - emits code that runs once for a workgroup ------===//
//   before: A; lane.barrier; B
//   after:  for each subgroup: A; stores the values that B needs to scratch memory
//           for each subgroup: B
// This class follows the plan (WorkgroupPlan.h). It owns the current segment, the number of the
// subgroup, and the subgroup's part of the scratch memory. Masks of waiting lanes, and values that
// outlive segments, are stored there.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/simd/ValueMap.h"
#include "compiler/cpu/simd/WorkgroupPlan.h"

namespace pumice::cpu {

class SimdEmitter;

class WorkgroupSegments final : public ValueSource {
public:
  using Value = mlir::Value;
  using Block = mlir::Block;
  using Operation = mlir::Operation;

  explicit WorkgroupSegments(SimdEmitter &e) : e(e) {}

  /// Emits the kernel for one workgroup.
  void emitWorkgroup(Block &kernel);

  Value subgroup;              // the number of the subgroup in the workgroup, as i32
  unsigned segment = 0;        // 0: code of the workgroup, outside of segments
  Block *segmentEnd = nullptr; // where the segment ends for the current subgroup
  /// Returns the address of an offset in the subgroup's part of the scratch memory.
  Value scratchAt(int64_t offset);

  // ValueSource
  Value emitLeaf(Operation *op) override;
  void bring(Value value) override;
  bool isKept(Value value) override;
  void keep(Value value, Value as) override;

private:
  void forEachSubgroup(unsigned number, llvm::function_ref<void()> body);
  void emitGroupBlock(Block &block);
  void emitItem(const PlanItem &item);
  void emitScalars(Operation *op);
  void emitSegment(const PlanItem &item);
  void emitGroupConstruct(const PlanItem &item);
  void emitGroupWay(mlir::Region &region);
  void emitGroupIf(lane::IfOp op, unsigned number);
  void emitDividedIf(lane::IfOp op, unsigned number);
  void emitGroupSwitch(lane::SwitchOp op, unsigned number);
  void emitDividedSwitch(lane::SwitchOp op, unsigned number);
  void emitGroupLoop(lane::LoopOp loop);
  void emitGroupTerminator(Operation *op);
  void leaveWaiting(Operation *op);
  void mergeWaiting(int64_t place);
  void runOthers(Operation *selection);
  Value anyRuns();
  Value scratchBase();
  Value startMask(unsigned number);
  void moveVariables(unsigned number, bool toScratch);

  SimdEmitter &e;
  Value scratchOfSubgroup, scratchOnStack, anyFlag;
  // Values of other segments are loaded or computed before this operation, at the start of the
  // segment.
  Operation *prologueEnd = nullptr;
};

} // namespace pumice::cpu
