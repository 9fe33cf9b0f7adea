//===- MaskedControl.h - selections, loops and exits within a subgroup ------===//
// Owns the mask of the active lanes. A construct whose lanes agree becomes branches; otherwise its
// regions are executed for the lanes that choose them.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/simd/LaneBuilder.h"
#include "compiler/dialect/lane/LaneDialect.h"

namespace pumice::cpu {

class SimdEmitter;

/// Holds what the exits of an open construct need.
struct Exits {
  mlir::Block *end = nullptr, *next = nullptr; // after it; its continuing region
  mlir::Value after;     // mask of those that reached its end; null: as before it
  mlir::Value continued; // mask of those that reached the continuing region
  bool ofWorkgroup = false;
};

class MaskedControl {
public:
  using Value = mlir::Value;
  using Block = mlir::Block;
  using Operation = mlir::Operation;

  explicit MaskedControl(SimdEmitter &e) : e(e) {}

  Value mask; // of the active lanes; null: all of them
  llvm::DenseMap<Operation *, Exits> opened;

  void emitConstruct(Operation *op);
  void emitTerminator(Operation *op);
  /// Emits what `body` emits, which may be skipped from anywhere in it. Afterwards `mask` has the
  /// lanes that are left. If none is left, control goes on at `none`, if there is one.
  void withRegionEnd(llvm::function_ref<void()> body, Block *none = nullptr);
  /// Emits operations that follow each other, within `withRegionEnd`. After lanes may have left,
  /// the rest is emitted twice if that is faster: for all lanes, and for some.
  void emitOps(llvm::ArrayRef<Operation *> ops);
  /// Without `condition`, goes on at the end of the block at hand with no lane.
  void skipUnless(Value condition);

private:
  /// Tells which lanes take one way of a selection.
  struct ArmLanes {
    Value mask;
    Value any = {}, all = {}; // whether it has some, and all lanes, if that is known otherwise
  };

  void emitBlock(Block &block, Block *none = nullptr);
  void bringToRegionEnd(Value lanes);
  void emitIf(lane::IfOp op);
  void emitUniformIf(lane::IfOp op);
  void emitSwitch(lane::SwitchOp op);
  void emitUniformSwitch(lane::SwitchOp op);
  bool continuesAtEndOnly(lane::LoopOp loop) const;
  void emitLoop(lane::LoopOp op);
  void emitScope(lane::ScopeOp op);
  void emitArm(mlir::Region &region, uint32_t control, const ArmLanes &lanes, Exits &exits);
  bool isFasterUnmasked(llvm::ArrayRef<Operation *> ops) const;
  Value anyHolds(Value condition, bool holds);
  Exits openConstruct(Operation *op);
  void closeConstruct(Operation *op, Value before);
  void arriveAt(Value slot);
  bool isCheap(llvm::ArrayRef<Operation *> ops, unsigned most) const;

  SimdEmitter &e;
  Block *regionEnd = nullptr; // of the block at hand, for when no lane is left; created if needed
  Value regionEndMask;
  Block *whenNone = nullptr; // where control goes on instead, if not at the end of the block
  bool isMaskedCopy = false; // what is emitted has a copy for all lanes
};

} // namespace pumice::cpu
