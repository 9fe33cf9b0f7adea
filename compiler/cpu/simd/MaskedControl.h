//===- MaskedControl.h - selections, loops and exits within a subgroup ------===//
// Owns the mask of active lanes. If the lanes agree, a construct becomes branches. Otherwise, its
// regions run for the lanes that choose them.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/simd/LaneBuilder.h"
#include "compiler/dialect/lane/LaneDialect.h"

namespace pumice::cpu {

class SimdEmitter;

/// The places to which exits of an open construct go, and the lanes that went there.
struct Exits {
  mlir::Block *end = nullptr, *next = nullptr; // the block behind it; its continuing region
  mlir::Value after;                           // the lanes that reached its end; null: all
  mlir::Value continued;                       // the lanes that reached the continuing region
  bool ofWorkgroup = false;
};

class MaskedControl {
public:
  using Value = mlir::Value;
  using Block = mlir::Block;
  using Operation = mlir::Operation;

  explicit MaskedControl(SimdEmitter &e) : e(e) {}

  Value mask; // the active lanes; null: all are active
  llvm::DenseMap<Operation *, Exits> opened;

  void emitConstruct(Operation *op);
  void emitTerminator(Operation *op);
  /// Calls `body` to emit code, and makes an end block to which that code can skip. Afterwards,
  /// `mask` holds the remaining lanes. If no lane remains and `none` is given, control continues at
  /// `none`.
  void withRegionEnd(llvm::function_ref<void()> body, Block *none = nullptr);
  /// Emits consecutive operations, within `withRegionEnd`. If lanes may have left, the remaining
  /// operations may be emitted twice, if that is faster: for all lanes, and for some.
  void emitOps(llvm::ArrayRef<Operation *> ops);
  /// If `condition` is false, skips to the end of the current block with no active lane.
  void skipUnless(Value condition);

private:
  /// The lanes that take one arm of a selection.
  struct ArmLanes {
    Value mask;
    // Whether any lane takes the arm, and whether every lane does. Null: computed from `mask`.
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
  // The end of the current block, to which control skips if no lane is left. It is created if
  // needed.
  Block *regionEnd = nullptr;
  Value regionEndMask;
  Block *whenNone = nullptr; // the place to skip to instead of `regionEnd`
  bool isMaskedCopy = false; // the code is the copy for which all lanes are active
};

} // namespace pumice::cpu
