//===- SpirvDebugWords.h - debug information that any validator knows -------===//
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace pumice::executable {

/// Returns a copy of a module. Debug information that is newer than SPIRV-Tools 2023.1 is replaced:
/// languages of OpSource, and enumerants and flags of OpenCL.DebugInfo.100 and DebugInfo. Each word
/// stays at its position. Broken modules are copied unchanged.
std::vector<uint32_t> withKnownDebugWords(std::span<const uint32_t> words);

} // namespace pumice::executable
