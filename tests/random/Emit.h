//===- Emit.h - a program as SPIR-V -----------------------------------------===//
#pragma once

#include "tests/random/Program.h"

namespace pumice::random_programs {

/// The bindings of set 0.
inline constexpr uint32_t inputBinding = 0, ownBinding = 1, countsBinding = 2, uniformBinding = 3;

std::vector<uint32_t> emitSpirv(const Program &program);

} // namespace pumice::random_programs
