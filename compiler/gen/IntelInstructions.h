//===- IntelInstructions.h - instructions that MLIR cannot serialize --------===//
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <vector>

namespace pumice::gen {

/// Returns the words of a module in which calls of the functions that `convert-gen-to-spirv`
/// imports are the instructions that they represent. Declares the capabilities and extensions of
/// these, and removes the functions. Modules without such calls stay as they are.
std::vector<uint32_t> writeIntelInstructions(std::vector<uint32_t> words);

/// Returns the extension of the instruction that a function with this mangled name represents, or
/// an empty text if it represents none.
llvm::StringRef extensionOf(llvm::StringRef function);

} // namespace pumice::gen
