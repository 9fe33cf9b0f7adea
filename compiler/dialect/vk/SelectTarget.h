//===- SelectTarget.h - from what a user names to what modules carry --------===//
#pragma once

#include "compiler/dialect/vk/VkDialect.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVAttributes.h"

namespace pumice::vk {

/// Returns the target that `text` names. It may be a triple ("rdna3"), the attribute's text, or a
/// file. A file holds the attribute, `vulkaninfo -j` output, `pumice target-env --json` output, or
/// a Khronos profile (FILE:PROFILE if it holds several). Every command reads `--target` with this
/// function.
Result<target::TargetEnv> resolveTarget(mlir::MLIRContext *context, llvm::StringRef text);

/// A file of any of those forms; `profile` chooses one of a profile file with several.
Result<target::TargetEnv> readTargetFile(mlir::MLIRContext *context, llvm::StringRef path,
                                         llvm::StringRef profile = {});

/// The attribute's text alone: "#vk.target_env<v1.1, …>".
Result<target::TargetEnv> parseTargetEnv(mlir::MLIRContext *context, llvm::StringRef text);

/// The environment as SPIR-V's side of upstream sees it, by the tables of compiler/target.
mlir::spirv::TargetEnvAttr toSpirvTargetEnv(mlir::MLIRContext *context,
                                            const target::TargetEnv &env);

/// Gives a gpu.module `vk.target_env` and `spirv.target_env`.
void setTarget(mlir::Operation *gpuModule, const target::TargetEnv &env);

} // namespace pumice::vk
