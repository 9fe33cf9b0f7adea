//===- LibraryFunctions.h - functions that kernels call by a name ------------===//
// Of CUDA's device library, which is what Triton's front end names: __nv_tanhf, __nv_clz. They
// become arith and math, whose functions every target has.
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Builders.h"

namespace pumice::triton::distribute {

bool isLibraryFunction(llvm::StringRef name);

/// Of scalars, or of tiles of one layout; `type` is the result's. The name is a function's.
mlir::Value libraryFunction(mlir::OpBuilder &b, mlir::Location loc, llvm::StringRef name,
                            mlir::ValueRange operands, mlir::Type type);

} // namespace pumice::triton::distribute
