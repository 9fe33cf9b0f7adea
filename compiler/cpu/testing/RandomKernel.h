//===- RandomKernel.h - random lane kernels ---------------------------------===//
#pragma once

#include <cstdint>
#include <string>

namespace pumice::cpu::testing {

struct RandomKernelOptions {
  uint32_t seed = 0;
  bool barriers = false;
};

/// The numbers of words in buffer 0, which kernels read, in the part of buffer 1 that each
/// invocation writes, and in the push constants.
inline constexpr unsigned randomInputWords = 256, randomOutputWords = 4, randomPushWords = 4;

/// Returns a random structured kernel "k". It has nested divergent constructs, exits of any depth,
/// variables, loads and stores. The kernel terminates, and each invocation only writes its own
/// elements.
std::string randomKernel(const RandomKernelOptions &options);

} // namespace pumice::cpu::testing
