//===- Samples.h - executables for tests ------------------------------------===//
#pragma once

#include "executable/Executable.h"

#include <vector>

namespace pumice::executable::test {

/// The least SPIR-V that declares compute entry points of these names; no driver would run it.
std::vector<uint8_t> emptySpirv(const std::vector<std::string> &entryPoints);

/// A softmax and a matmul for four targets: every field of the format is used.
Executable realistic();

/// Valid contents, as wild as the rules allow; equal seeds give equal contents.
Executable random(uint32_t seed);

} // namespace pumice::executable::test
