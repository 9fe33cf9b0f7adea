//===- GenDialect.h - what Intel's GPUs offer to a kernel -------------------===//
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "compiler/dialect/gen/GenDialect.h.inc"
#include "compiler/dialect/gen/GenEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "compiler/dialect/gen/GenAttributes.h.inc"

#define GET_OP_CLASSES
#include "compiler/dialect/gen/GenOps.h.inc"

namespace pumice::gen {

/// The number of dimensions of a grid.
inline constexpr unsigned gridDimensions = 3;

/// Returns what OpenCL specifies for a dimension beyond the third: 1 for sizes, and 0 for numbers
/// of work-items and work-groups.
template <typename GridOp> constexpr int64_t beyondGrid() {
  return std::is_same_v<GridOp, WorkGroupSizeOp> || std::is_same_v<GridOp, NumWorkGroupsOp>;
}

} // namespace pumice::gen
