//===- Memory.h - what a program is given, and what it leaves ------------------===//
#pragma once

#include "tests/random/Program.h"

#include <cstddef>

namespace pumice::random_programs {

struct Memory {
  std::vector<std::byte> input, own, counts, uniforms, push; // empty where the program has none

  /// By its number in set 0.
  std::vector<std::byte> &bound(uint32_t binding);
};

/// The same for the same seed, whatever has been taken out of the program.
Memory memoryFor(const Program &program);

/// Where and how the two differ; empty if they do not. Padding does not count, nor zeros' signs.
std::string difference(const Program &program, const Memory &a, const Memory &b);

} // namespace pumice::random_programs
