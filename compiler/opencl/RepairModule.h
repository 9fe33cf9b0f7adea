//===- RepairModule.h - mistakes of LLVM's backend in modules for OpenCL ----===//
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pumice::opencl {

/// The extension with which formats of printf may be outside of constant memory.
constexpr const char *relaxedPrintf = "SPV_EXT_relaxed_printf_string_address_space";

/// Removes this extension. Formats of OpenCL C are in constant memory.
std::vector<uint32_t> dropRelaxedPrintf(const std::vector<uint32_t> &words);

/// Casts the formats of printf to pointers to characters, which the rules of OpenCL.std require.
/// LLVM's SPIR-V backend passes pointers to arrays. Returns the module's new words.
std::vector<uint32_t> castPrintfFormats(std::vector<uint32_t> words);

/// Removes the operand too many that LLVM 22's backend writes behind null constants of events.
std::vector<uint32_t> shortenNulls(const std::vector<uint32_t> &words);

/// Returns the mangled names of the functions that a module expects from others.
std::vector<std::string> importedFunctions(const std::vector<uint32_t> &words);

} // namespace pumice::opencl
