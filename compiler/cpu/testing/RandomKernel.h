//===- RandomKernel.h - lane kernels that nobody would write ----------------===//
#pragma once

#include <cstdint>
#include <string>

namespace pumice::cpu::testing {

struct RandomKernelOptions {
  uint32_t seed = 0;
  bool barriers = false;
};

/// Words of buffer 0 (read), of buffer 1 for each invocation (written), and push constants.
inline constexpr unsigned randomInputWords = 256, randomOutputWords = 4, randomPushWords = 4;

/// A structured kernel "k" of nested divergent constructs, exits of any depth, variables, loads and
/// stores; it ends, and each invocation writes only what is its own.
std::string randomKernel(const RandomKernelOptions &options);

} // namespace pumice::cpu::testing
