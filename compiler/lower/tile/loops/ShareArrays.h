//===- ShareArrays.h - arrays that share memory -----------------------------===//
#pragma once

#include "compiler/dialect/tile/TileDialect.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace pumice::lower::tiles {

/// Merges arrays of one type that are never needed at the same time, and removes unused ones.
/// Returns the bytes that the remaining arrays take in each lane.
uint64_t shareArrays(llvm::SmallVectorImpl<mlir::memref::AllocaOp> &arrays);

} // namespace pumice::lower::tiles
