//===- Samples.h - executables for tests ------------------------------------===//
#pragma once

#include "executable/Executable.h"

#include <vector>

namespace pumice::executable::test {

/// Returns the smallest SPIR-V module that declares compute entry points with these names. No
/// driver could run it.
std::vector<uint8_t> emptySpirv(const std::vector<std::string> &entryPoints);

/// Returns an executable with a softmax and a matmul for four targets. It uses every field of the
/// format.
Executable realistic();

/// Returns random, valid contents. Equal seeds give equal contents.
Executable random(uint32_t seed);

} // namespace pumice::executable::test
