//===- ExplainCode.h - what is in an executable, as text --------------------===//
#pragma once

#include "support/Status.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pumice::library {

enum class CodeForm { Spirv, LlvmIr, Assembly };

/// The code of the first variant that is SPIR-V: disassembled, or as what this machine's CPU makes
/// of its first entry point. Thread-safe.
Result<std::vector<uint8_t>> explainCode(std::span<const uint8_t> executable, CodeForm form,
                                         std::string &diagnostics);

} // namespace pumice::library
