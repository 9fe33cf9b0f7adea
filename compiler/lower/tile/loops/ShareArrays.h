//===- ShareArrays.h - arrays of which one begins where another ends -----------===//
#pragma once

#include "compiler/dialect/tile/TileDialect.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace pumice::lower::tiles {

/// Arrays of one type that are never needed at once become one; what nothing uses goes. The bytes
/// of those that are left, in a lane.
uint64_t shareArrays(llvm::SmallVectorImpl<mlir::memref::AllocaOp> &arrays);

} // namespace pumice::lower::tiles
