//===- RepairModule.h - mistakes of LLVM's backend in modules for OpenCL ----===//
#pragma once

#include <cstdint>
#include <vector>

namespace pumice::opencl {

/// Casts the formats of printf to pointers to characters, which the rules of OpenCL.std require.
/// LLVM's SPIR-V backend passes pointers to arrays. Returns the module's new words.
std::vector<uint32_t> castPrintfFormats(std::vector<uint32_t> words);

/// Removes the operand too many that LLVM 22's backend writes behind null constants of events.
std::vector<uint32_t> shortenNulls(const std::vector<uint32_t> &words);

} // namespace pumice::opencl
