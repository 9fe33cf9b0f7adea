//===- MangledCalls.h - calls of OpenCL C's functions -----------------------===//
#pragma once

#include "mlir/IR/Builders.h"

namespace pumice::opencl {

/// The sign of a function's integers. It is part of the mangled name.
enum class Sign { Signed, Unsigned };

/// Returns the name of an OpenCL C function with these parameters as clang mangles it: "_Z3fmafff".
/// Vectors are "Dv4_f", and a vector that occurs again is "S_".
std::string mangled(llvm::StringRef function, mlir::TypeRange parameters, Sign sign);

/// Calls such a function, which is declared if it is not yet.
mlir::Value callOpenCl(mlir::OpBuilder &b, mlir::Location loc, mlir::Operation *module,
                       llvm::StringRef function, mlir::Type result, mlir::ValueRange operands,
                       Sign sign = Sign::Signed);

/// Calls a function by its mangled name. It is for functions whose parameters differ in sign.
mlir::Value callMangled(mlir::OpBuilder &b, mlir::Location loc, mlir::Operation *module,
                        llvm::StringRef name, mlir::Type result, mlir::ValueRange operands);

} // namespace pumice::opencl
