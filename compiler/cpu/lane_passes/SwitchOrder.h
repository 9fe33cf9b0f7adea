//===- SwitchOrder.h - orders a switch's targets by fall-through ------------===//
#pragma once

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace pumice::cpu {

/// A region of a lane.switch.
struct SwitchEntry {
  mlir::Block *target = nullptr;
  mlir::Block *fallsTo = nullptr; // the target of the next entry, if control may fall through to it
  bool sharesNext = false;        // whether it has the same target as the next entry
};

struct SwitchOrder {
  llvm::SmallVector<SwitchEntry> entries;
  llvm::SmallVector<int64_t> cases; // one for each entry; 0 for the default
  uint32_t defaultPosition = 0;
};

/// Orders the entries of a switch. A case that falls through comes directly before the case into
/// which it falls. `stops` returns whether a block is outside the cases: the merge block and other
/// exits.
SwitchOrder orderSwitch(mlir::cf::SwitchOp op, llvm::function_ref<bool(mlir::Block *)> stops);

} // namespace pumice::cpu
