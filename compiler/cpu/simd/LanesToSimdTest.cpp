//===- LanesToSimdTest.cpp - compares kernels on vectors and by lane --------===//
// Compares random kernels with the interpreter, for several widths. PUMICE_SIMD_KERNELS: the number
// of kernels (default 30). PUMICE_SIMD_SEED: the seed of the first one.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/testing/RandomKernel.h"
#include "compiler/cpu/testing/SimdModule.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

using namespace pumice::cpu::testing;

namespace {

unsigned setting(const char *name, unsigned otherwise) {
  const char *text = std::getenv(name);
  return text ? std::strtoul(text, nullptr, 10) : otherwise;
}

LaunchMemory someMemory(unsigned seed) {
  std::mt19937 random(seed);
  LaunchMemory memory;
  memory.buffers.assign(2, {});
  for (unsigned i = 0; i < randomInputWords; ++i)
    memory.buffers[0].push_back(random() % 3 ? random() % 20 : random());
  memory.buffers[1].assign(4096, 0xabababab);
  for (unsigned i = 0; i < randomPushWords; ++i)
    memory.pushConstants.push_back(random() % 8);
  return memory;
}

/// Compiles and runs a kernel for several widths, and expects the interpreter's results.
void expectLikeInterpreter(const std::string &kernel, const LaunchMemory &memory,
                           std::array<uint32_t, 3> groups) {
  LaunchMemory expected = memory;
  interpret(kernel, "k", groups, expected);
  // Registers of 4, 8 and 16 lanes; 16 lanes in four registers; the width that the compiler
  // chooses.
  for (SimdWidth width : {SimdWidth{4}, SimdWidth{8}, SimdWidth{16}, SimdWidth{16, 4},
                          SimdWidth{4, 4, true}, SimdWidth{8, 8, true}}) {
    SimdModule module(kernel, width);
    LaunchMemory got = memory;
    ASSERT_EQ(module.run("k", groups, got), 0u);
    for (size_t buffer = 0; buffer < got.buffers.size(); ++buffer)
      for (size_t i = 0; i < got.buffers[buffer].size(); ++i)
        ASSERT_EQ(got.buffers[buffer][i], expected.buffers[buffer][i])
            << width.lanes << " lanes in registers of " << width.registerLanes << ", buffer "
            << buffer << ", word " << i << "\n"
            << (std::getenv("PUMICE_SIMD_SHOW") ? kernel : "");
  }
}

void runRandom(bool barriers) {
  unsigned first = setting("PUMICE_SIMD_SEED", 1), count = setting("PUMICE_SIMD_KERNELS", 30);
  for (unsigned seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::string kernel = randomKernel({seed, barriers});
    expectLikeInterpreter(kernel, someMemory(seed), {3, 1, 1});
    if (::testing::Test::HasFatalFailure())
      return;
  }
}

TEST(LanesToSimd, RandomDivergentKernels) { runRandom(false); }
TEST(LanesToSimd, RandomKernelsWithBarriers) { runRandom(true); }

} // namespace
