//===- Source.h - OpenCL C and LLVM IR as sources of kernels ----------------===//
#pragma once

#include "compiler/opencl/LlvmToSpirv.h"
#include "compiler/target/TargetEnv.h"

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace pumice::opencl {

/// Returns whether a file holds OpenCL C (NAME.cl) or LLVM IR (NAME.ll, or bitcode).
bool isSource(llvm::StringRef bytes, llvm::StringRef name);

/// Returns the LLVM IR of such a file, as text or bitcode. This runs clang for OpenCL C.
Result<std::string> sourceToLlvm(llvm::StringRef bytes, llvm::StringRef name);

/// Compiles such a file to a SPIR-V module for `target`, which describes an OpenCL device.
Result<std::vector<uint8_t>> sourceToSpirv(llvm::StringRef bytes, llvm::StringRef name,
                                           const target::TargetEnv &target, LeftCalls leaves);

} // namespace pumice::opencl
