//===- Memory.h - what a program is given, and what it leaves ---------------===//
#pragma once

#include "tests/random/Program.h"

#include <cstddef>

namespace pumice::random_programs {

struct Memory {
  std::vector<std::byte> input, own, counts, uniforms, push; // empty if the program has none

  /// Returns the contents of a binding of set 0.
  std::vector<std::byte> &bound(uint32_t binding);
};

/// Returns contents that depend only on the seed, not on the parts that were removed from the
/// program.
Memory memoryFor(const Program &program);

/// Returns how the two differ, or an empty text. Ignores padding and the signs of zeros.
std::string difference(const Program &program, const Memory &a, const Memory &b);

} // namespace pumice::random_programs
