//===- Disassemble.h - SPIR-V words as text ---------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <cstdint>
#include <span>
#include <string>

namespace pumice::tools {

/// The module's assembly. Fails, naming the first unknown instruction, on modules that are newer
/// than the SPIRV-Tools this was built with.
Result<std::string> disassemble(std::span<const uint8_t> spirv);

} // namespace pumice::tools
