//===- SelectTarget.h - from what a user names to what modules carry --------===//
#pragma once

#include "compiler/dialect/vk/VkDialect.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVAttributes.h"

namespace pumice::vk {

/// The target that `text` names: a triple ("rdna3"), the attribute's text, or a file that holds the
/// attribute, `vulkaninfo -j` output, a Khronos profile (FILE:PROFILE where it holds several) or
/// `pumice target-env --json` output. Every command's `--target` is read by this one function.
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
