//===- SelectTarget.h - sets targets of modules -----------------------------===//
#pragma once

#include "compiler/dialect/vk/VkDialect.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVAttributes.h"

namespace pumice::vk {

/// Returns the target that `text` names. It may be a triple ("rdna3"), the attribute's text, or a
/// file. A file holds the attribute, `vulkaninfo -j` output, `pumice target-env --json` output, or
/// a Khronos profile (FILE:PROFILE if it holds several). Every command reads `--target` with this
/// function.
Result<target::TargetEnv> resolveTarget(mlir::MLIRContext *context, llvm::StringRef text);

/// Reads a file in any of those forms. `profile` chooses one if a profile file has several.
Result<target::TargetEnv> readTargetFile(mlir::MLIRContext *context, llvm::StringRef path,
                                         llvm::StringRef profile = {});

/// Parses only the attribute's text: "#vk.target_env<v1.1, …>".
Result<target::TargetEnv> parseTargetEnv(mlir::MLIRContext *context, llvm::StringRef text);

/// Converts the environment to upstream's SPIR-V attribute, by the tables of compiler/target.
mlir::spirv::TargetEnvAttr toSpirvTargetEnv(mlir::MLIRContext *context,
                                            const target::TargetEnv &env);

/// Sets `vk.target_env` and `spirv.target_env` on a gpu.module.
void setTarget(mlir::Operation *gpuModule, const target::TargetEnv &env);

} // namespace pumice::vk
