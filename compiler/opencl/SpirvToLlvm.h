//===- SpirvToLlvm.h - the other route to SPIR-V: through LLVM IR -----------===//
#pragma once

#include "compiler/target/TargetEnv.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <vector>

namespace pumice::opencl {

/// Converts a finished module of OpenCL's flavour to the llvm dialect. Built-in variables,
/// functions and operations of subgroups become calls of OpenCL C's functions, which LLVM's SPIR-V
/// backend knows by their mangled names. Errors are diagnostics at the operations.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> toLlvmDialect(mlir::spirv::ModuleOp module);

/// Returns the words of the module, as LLVM's SPIR-V backend writes them.
mlir::FailureOr<std::vector<uint32_t>> serializeViaLlvm(mlir::spirv::ModuleOp module,
                                                        const target::TargetEnv &target);

} // namespace pumice::opencl
