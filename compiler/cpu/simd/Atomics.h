//===- Atomics.h - memory accesses that are atomic or volatile ------------===//
#pragma once

#include "compiler/cpu/simd/LaneBuilder.h"

namespace pumice::cpu {

class SimdEmitter;

void emitFence(LaneBuilder &b, llvm::StringRef order);
/// Emits an access lane by lane and scalar by scalar. It is atomic, with the memory order `order`,
/// or volatile.
void emitAccessEach(SimdEmitter &e, mlir::Operation *op, llvm::StringRef order);

/// Calls `update` with each active lane's address and values, or only with the values if there are
/// no addresses. If `type` is given, returns the vector of `update`'s results. `isShort` means that
/// `update` emits only a few instructions, which may be repeated for each lane. If all lanes are
/// active, no lane then waits for operands in memory.
mlir::Value
updateEach(SimdEmitter &e, mlir::Value address, llvm::ArrayRef<mlir::Value> perLane,
           mlir::Type type, bool isShort,
           llvm::function_ref<mlir::Value(mlir::Value, llvm::ArrayRef<mlir::Value>)> update);

} // namespace pumice::cpu
