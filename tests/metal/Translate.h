//===- Translate.h - MSL of a SPIR-V module, for tests ----------------------===//
// The conformance suite runs its GLSL kernels in Metal's language. It is part of the runtime, which
// does not know the compiler.
//===-------------------------------------------------------------------------===//
#pragma once

#include "support/Status.h"

#include <cstdint>
#include <span>
#include <string>

namespace pumice::msl {

/// Returns the module in Metal's language with its layout.
Result<std::string> translate(std::span<const uint32_t> spirv);

} // namespace pumice::msl
