//===- CompileOpenCl.h - OpenCL C and LLVM IR to an executable --------------===//
#pragma once

#include "compiler/driver/Compile.h"

#include <cstdint>
#include <span>

namespace pumice {

/// Returns whether code for `target` is made of an OpenCL module: a device of OpenCL, or native
/// code of Pumice's CPU device. Other targets are Vulkan's.
bool takesOpenClModules(const target::TargetEnv &target);

/// Imports the kernels of LLVM IR for spirv64, as text or bitcode, for targets of Vulkan:
/// all of them, or the one that `kernel` names. Errors are diagnostics.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> importKernels(mlir::MLIRContext *context,
                                                                 llvm::StringRef llvm,
                                                                 llvm::StringRef name,
                                                                 llvm::StringRef kernel = "");

/// Compiles LLVM IR for spirv64, as text or bitcode, to one executable with a variant for each
/// target. Targets that take OpenCL modules get `module`, if there is one. Errors are diagnostics.
mlir::FailureOr<executable::Executable> compileOpenCl(mlir::MLIRContext *context,
                                                      llvm::StringRef llvm, llvm::StringRef name,
                                                      const std::vector<target::TargetEnv> &targets,
                                                      const CompileOptions &options,
                                                      std::span<const uint8_t> module = {});

} // namespace pumice
