//===- Atomics.h - memory accesses that are atomic or volatile --------------===//
#pragma once

#include "compiler/cpu/simd/LaneBuilder.h"

namespace pumice::cpu {

class SimdEmitter;

void emitFence(LaneBuilder &b, llvm::StringRef order);
/// Emits an access lane by lane and scalar by scalar. Each part is atomic with the memory order
/// `order`, or volatile.
void emitAccessEach(SimdEmitter &e, mlir::Operation *op, llvm::StringRef order);

/// Calls `update` with the address and values of each active lane, or only with the values if there
/// are no addresses. If `type` is given, returns a vector of the results. `isShort` means that
/// `update` emits few instructions, which may be repeated for each lane. Then, if all lanes are
/// active, no lane waits for operands in memory.
mlir::Value
updateEach(SimdEmitter &e, mlir::Value address, llvm::ArrayRef<mlir::Value> perLane,
           mlir::Type type, bool isShort,
           llvm::function_ref<mlir::Value(mlir::Value, llvm::ArrayRef<mlir::Value>)> update);

} // namespace pumice::cpu
