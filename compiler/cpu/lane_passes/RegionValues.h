//===- RegionValues.h - values that are used outside their region -----------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace pumice::cpu {

/// Creates a lane.var at the builder's position.
mlir::Value makeVariable(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type);

/// Prepares a structured function in which values are still used outside their regions. Values
/// without operands (constants, numbers of the launch) move to the function's beginning. Push
/// constants are also read there, once. Every other value that is used outside its region passes
/// through a lane.var.
void passValuesThroughVariables(mlir::func::FuncOp function);

} // namespace pumice::cpu
