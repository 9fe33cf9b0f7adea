//===- Atomics.h - accesses that other threads see as a whole ---------------===//
#pragma once

#include "compiler/cpu/simd/LaneBuilder.h"

namespace pumice::cpu {

class SimdEmitter;

void emitFence(LaneBuilder &b, llvm::StringRef order);
/// Emits an atomic load or store (`order` says how other threads see it), or a volatile one, lane
/// by lane and scalar by scalar.
void emitAccessEach(SimdEmitter &e, mlir::Operation *op, llvm::StringRef order);

/// Calls `update` with each active lane's address and values, or with the values alone if there is
/// no address. If `type` is given, it returns the vector of what `update` returns.
/// `isShort`: `update` emits a few instructions, which may be repeated for each lane. Then no lane
/// waits for operands to be loaded from memory if all lanes are active.
mlir::Value
updateEach(SimdEmitter &e, mlir::Value address, llvm::ArrayRef<mlir::Value> perLane,
           mlir::Type type, bool isShort,
           llvm::function_ref<mlir::Value(mlir::Value, llvm::ArrayRef<mlir::Value>)> update);

} // namespace pumice::cpu
