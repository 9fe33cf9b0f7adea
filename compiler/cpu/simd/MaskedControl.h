//===- MaskedControl.h - selections, loops and exits within a subgroup ----===//
// Owns the mask of the active lanes. A construct becomes branches if its lanes agree. Otherwise its
// regions run for the lanes that choose them.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/simd/LaneBuilder.h"
#include "compiler/dialect/lane/LaneDialect.h"

namespace pumice::cpu {

class SimdEmitter;

/// Holds what the exits of an open construct need.
struct Exits {
  mlir::Block *end = nullptr, *next = nullptr; // the block after it; its continuing region
  mlir::Value after;     // mask of the lanes that reached its end; null: all lanes
  mlir::Value continued; // mask of the lanes that reached the continuing region
  bool ofWorkgroup = false;
};

class MaskedControl {
public:
  using Value = mlir::Value;
  using Block = mlir::Block;
  using Operation = mlir::Operation;

  explicit MaskedControl(SimdEmitter &e) : e(e) {}

  Value mask; // mask of the active lanes; null: all are active
  llvm::DenseMap<Operation *, Exits> opened;

  void emitConstruct(Operation *op);
  void emitTerminator(Operation *op);
  /// Calls `body` to emit code, and makes an end block to which any of that code can skip.
  /// Afterwards `mask` has the remaining lanes. If no lane remains, control continues at `none`, if
  /// it is given.
  void withRegionEnd(llvm::function_ref<void()> body, Block *none = nullptr);
  /// Emits consecutive operations, within `withRegionEnd`. If lanes may have left, and if it is
  /// faster, emits the rest twice: for all lanes, and for some.
  void emitOps(llvm::ArrayRef<Operation *> ops);
  /// Goes to the end of the current block, with no lane, unless `condition` holds.
  void skipUnless(Value condition);

private:
  /// The lanes that take one arm of a selection.
  struct ArmLanes {
    Value mask;
    // Says whether any lane, or every lane, takes the arm, if this is known without the mask.
    Value any = {}, all = {};
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
  // The end of the current block, for when no lane is left; created if needed.
  Block *regionEnd = nullptr;
  Value regionEndMask;
  Block *whenNone = nullptr; // where control continues then, if not at the block's end
  bool isMaskedCopy = false; // the code is a copy for the case that all lanes are active
};

} // namespace pumice::cpu
