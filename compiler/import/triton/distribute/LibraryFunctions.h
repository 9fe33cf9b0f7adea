//===- LibraryFunctions.h - functions that kernels call by name -------------===//
// Implements those functions of CUDA's device library that Triton's front end names, such as
// __nv_tanhf and __nv_clz. They become arith and math operations, which every target supports.
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Builders.h"

namespace pumice::triton::distribute {

bool isLibraryFunction(llvm::StringRef name);

/// Returns the result of the function `name` for scalars, or for tiles of one layout. `type` is the
/// type of the result.
mlir::Value libraryFunction(mlir::OpBuilder &b, mlir::Location loc, llvm::StringRef name,
                            mlir::ValueRange operands, mlir::Type type);

} // namespace pumice::triton::distribute
