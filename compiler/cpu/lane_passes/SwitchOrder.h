//===- SwitchOrder.h - orders a switch's targets by fall-through ------------===//
#pragma once

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace pumice::cpu {

/// A region of a lane.switch.
struct SwitchEntry {
  mlir::Block *target = nullptr;
  mlir::Block *fallsTo = nullptr; // the next entry's target, if control may continue there
  bool sharesNext = false;        // it is only another number for the next entry's target
};

struct SwitchOrder {
  llvm::SmallVector<SwitchEntry> entries;
  llvm::SmallVector<int64_t> cases; // one for each entry; the default's is 0
  uint32_t defaultPosition = 0;
};

/// Places each case that falls through directly before the case that it falls into. `stops` returns
/// whether a block lies outside the cases: the merge block and other exits.
SwitchOrder orderSwitch(mlir::cf::SwitchOp op, llvm::function_ref<bool(mlir::Block *)> stops);

} // namespace pumice::cpu
