//===- ExplainCode.h - shows the code in an executable as text --------------===//
#pragma once

#include "support/Status.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pumice::library {

enum class CodeForm { Spirv, LlvmIr, Assembly };

/// Returns the code of the first SPIR-V variant as text. This is its disassembly, or the CPU code
/// that this machine would run for the first entry point. Thread-safe.
Result<std::vector<uint8_t>> explainCode(std::span<const uint8_t> executable, CodeForm form,
                                         std::string &diagnostics);

} // namespace pumice::library
