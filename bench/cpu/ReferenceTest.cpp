//===- ReferenceTest.cpp - right results are accepted, wrong ones are not ---===//
#include "bench/cpu/Native.h"

#include <gtest/gtest.h>

using namespace pumice;
using namespace pumice::bench;

/// Returns the output of the hand-written kernels for a problem.
static Bytes nativeOutput(const Problem &problem, Team &team) {
  std::vector<Bytes> copies = problem.buffers;
  std::vector<std::byte *> pointers;
  for (Bytes &copy : copies)
    pointers.push_back(copy.data());
  nativeKernel(problem.name)(problem, pointers, team);
  return copies[problem.output];
}

TEST(Reference, TellsRightFromWrong) {
  Team team;
  team.wake();
  for (std::string_view name : comparedKernels()) {
    auto problem = makeProblem(name, true);
    ASSERT_TRUE(problem.isOk()) << name;
    EXPECT_EQ(problem->openCl.empty(), name == "matmul_cooperative") << name;
    EXPECT_NE(problem->whyWrong(*problem, problem->buffers[problem->output]), "")
        << name << ": the former contents are not the result";
    Bytes output = nativeOutput(*problem, team);
    EXPECT_EQ(problem->whyWrong(*problem, output), "") << name;
    // The second half was not written.
    Bytes half = problem->buffers[problem->output];
    std::copy_n(output.begin(), output.size() / 2, half.begin());
    EXPECT_NE(problem->whyWrong(*problem, half), "") << name;
  }
  team.rest();
}

TEST(Reference, ProductsOfNarrowFactors) {
  Team team;
  team.wake();
  for (std::string_view name : {"matmul_bf16", "matmul_int8"}) {
    if (!nativeKernel(name)) // the machine has no AMX
      continue;
    auto problem = makeProblem(name, true);
    ASSERT_TRUE(problem.isOk()) << name;
    Bytes output = nativeOutput(*problem, team);
    EXPECT_EQ(problem->whyWrong(*problem, output), "") << name;
    output[output.size() - 6] ^= std::byte{0x40};
    EXPECT_NE(problem->whyWrong(*problem, output), "") << name;
  }
  team.rest();
}

TEST(Reference, OneElementOfASumIsEnough) {
  Team team;
  team.wake();
  for (std::string_view name : {"saxpy", "sum", "sum16", "matmul", "softmax", "nbody", "scan"}) {
    auto problem = makeProblem(name, true);
    ASSERT_TRUE(problem.isOk()) << name;
    Bytes output = nativeOutput(*problem, team);
    output[output.size() - 6] ^= std::byte{0x40}; // changes the second-last element by half or more
    EXPECT_NE(problem->whyWrong(*problem, output), "") << name;
  }
  team.rest();
}

TEST(Reference, ABarrierShiftsByALane) {
  auto problem = makeProblem("barriers", true);
  ASSERT_TRUE(problem.isOk());
  problem->launch.push = {2};
  Bytes output(256 * 4);
  for (uint32_t lane = 0; lane < 256; ++lane)
    reinterpret_cast<uint32_t *>(output.data())[lane] = ((lane + 2) & 255) + 1;
  EXPECT_EQ(problem->whyWrong(*problem, output), "");
  output[0] ^= std::byte{1};
  EXPECT_NE(problem->whyWrong(*problem, output), "");
}

TEST(Reference, UnknownKernels) {
  EXPECT_EQ(makeProblem("dance", true).status().code(), StatusCode::NotFound);
}
