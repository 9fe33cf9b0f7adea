//===- SpirvDebugWords.h - debug information that any validator knows -----===//
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace pumice::executable {

/// Returns a copy of a module in which debug information newer than SPIRV-Tools 2023.1 is replaced.
/// This affects languages of OpSource, and enumerants and flags of OpenCL.DebugInfo.100 and
/// DebugInfo. Every word keeps its place. Broken modules are copied unchanged.
std::vector<uint32_t> withKnownDebugWords(std::span<const uint32_t> words);

} // namespace pumice::executable
