//===- Atomics.h - memory accesses that are atomic or volatile ------------===//
#pragma once

#include "compiler/cpu/simd/LaneBuilder.h"

namespace pumice::cpu {

class SimdEmitter;

void emitFence(LaneBuilder &b, llvm::StringRef order);
/// Emits an atomic load or store (`order` says how other threads see it), or a volatile one, lane
/// by lane and scalar by scalar.
void emitAccessEach(SimdEmitter &e, mlir::Operation *op, llvm::StringRef order);

/// Calls `update` with each active lane's address and values, or with only the values if there is
/// no address. If `type` is given, it returns the vector of `update`'s results. `isShort`: `update`
/// emits a few instructions, which may be repeated for each lane. If all lanes are active, no lane
/// then waits until its operands are loaded from memory.
mlir::Value
updateEach(SimdEmitter &e, mlir::Value address, llvm::ArrayRef<mlir::Value> perLane,
           mlir::Type type, bool isShort,
           llvm::function_ref<mlir::Value(mlir::Value, llvm::ArrayRef<mlir::Value>)> update);

} // namespace pumice::cpu
