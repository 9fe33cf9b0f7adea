//===- Serialize.h - converts a spirv.module to words -----------------------===//
#pragma once

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

#include <vector>

namespace pumice::spirv {

/// The id of the specialization constant for the number of elements of dynamic workgroup memory.
/// Constants 0, 1 and 2 are the workgroup size of kernels that leave it open.
inline constexpr uint32_t dynamicMemorySpecId = 3;
/// The default number of elements of the module-level buffer for gpu.dynamic_shared_memory, and the
/// name of the buffer.
inline constexpr uint32_t dynamicMemoryDefault = 1024;
inline constexpr llvm::StringLiteral dynamicMemoryName = "dynamic_workgroup_memory";

/// The prefix of the names of specialization constants for the scopes of clocks. A conversion of
/// such a constant represents a reading of the clock.
inline constexpr llvm::StringLiteral clockScopeName = "clock_scope";

/// Returns the words of a finished module. `withLines` adds source lines. Errors are reported at
/// the module.
mlir::FailureOr<std::vector<uint32_t>> serialize(mlir::spirv::ModuleOp module,
                                                 bool withLines = false);

} // namespace pumice::spirv
