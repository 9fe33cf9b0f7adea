//===- OpenClC.h - OpenCL C to LLVM IR by clang -----------------------------===//
#pragma once

#include "support/Status.h"

#include "llvm/ADT/StringRef.h"

#include <string>

namespace pumice::opencl {

/// Returns whether a file holds OpenCL C, which its name says.
bool looksLikeOpenClC(llvm::StringRef name);

/// Compiles OpenCL C to LLVM bitcode for spirv64, at -O2. This runs clang: the program that
/// PUMICE_CLANG names, or else clang-22 or clang. Errors: NotFound if there is none, with the
/// package that has it; InvalidArgument with clang's own messages.
Result<std::string> openClToLlvm(llvm::StringRef source, llvm::StringRef name);

} // namespace pumice::opencl
