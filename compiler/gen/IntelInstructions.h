//===- IntelInstructions.h - instructions that MLIR cannot serialize --------===//
#pragma once

#include <cstdint>
#include <vector>

namespace pumice::gen {

/// Returns the words of a module in which calls of the functions that `convert-gen-to-spirv`
/// imports are the instructions that they represent. Declares the capabilities and extensions of
/// these, and removes the functions. Modules without such calls stay as they are.
std::vector<uint32_t> writeIntelInstructions(std::vector<uint32_t> words);

} // namespace pumice::gen
