//===- Serialize.h - spirv.module to words ----------------------------------===//
#pragma once

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

#include <vector>

namespace pumice::spirv {

/// The specialization constant for the number of elements of the dynamic workgroup memory.
/// Constants 0, 1 and 2 are the workgroup size of kernels that leave it open.
inline constexpr uint32_t dynamicMemorySpecId = 3;
/// The module-level buffer that stands for gpu.dynamic_shared_memory.
inline constexpr uint32_t dynamicMemoryDefault = 1024;
inline constexpr llvm::StringLiteral dynamicMemoryName = "dynamic_workgroup_memory";

/// How specialization constants begin that are the scopes of clocks: what converts one reads a
/// clock.
inline constexpr llvm::StringLiteral clockScopeName = "clock_scope";

/// The words of a finished module; `withLines`: with the lines of the source. Errors are emitted at
/// the module.
mlir::FailureOr<std::vector<uint32_t>> serialize(mlir::spirv::ModuleOp module,
                                                 bool withLines = false);

} // namespace pumice::spirv
