//===- PrintfFormats.h - valid calls of printf in SPIR-V for OpenCL ---------===//
#pragma once

#include <cstdint>
#include <vector>

namespace pumice::opencl {

/// Casts the formats of printf to pointers to characters, which the rules of OpenCL.std require.
/// LLVM's SPIR-V backend passes pointers to arrays. Returns the module's new words.
std::vector<uint32_t> castPrintfFormats(std::vector<uint32_t> words);

} // namespace pumice::opencl
