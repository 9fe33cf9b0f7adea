//===- LimitTest.cpp - grids at and beyond the limits, and no grid at all ---===//
#include "runtime/hal/conformance/Conformance.h"

#include <algorithm>

namespace pumice::hal::conformance {

struct Limits : ConformanceTest {
  /// Runs `Groups` over the grid, and checks that each group ran once. The last words of the
  /// result are the grid as the kernel saw it.
  void runGrid(std::array<uint32_t, 3> groups, std::array<uint32_t, 4> *seen = nullptr) {
    ASSERT_RESULT(Ref<Kernel> kernel, makeKernel(*device, "Groups", {{0, 0}, {0, 1}}, 8));
    uint64_t total = uint64_t{groups[0]} * groups[1] * groups[2];
    std::vector<uint32_t> zeros(std::max<uint64_t>(total, 1));
    ASSERT_RESULT(Ref<Buffer> visits, upload(zeros));
    ASSERT_RESULT(Ref<Buffer> grid, upload(std::vector<uint32_t>(4)));
    const BufferRange bindings[] = {{visits.get()}, {grid.get()}};
    const BufferUse uses[] = {{visits.get()}, {grid.get()}};
    const uint32_t parameters[] = {groups[0], groups[1]};
    Dispatch work;
    work.kernel = kernel.get();
    work.groups = groups;
    work.pushConstants = bytesOf(parameters);
    work.bindings = bindings;
    work.uses = uses;
    ASSERT_OK(queue->dispatch(work));
    ASSERT_RESULT(std::vector<uint32_t> received, download(*visits));
    if (total == 0)
      EXPECT_EQ(received, zeros);
    else
      for (uint64_t i = 0; i < total; ++i)
        ASSERT_EQ(received[i], 1u) << "group " << i << " of " << total;
    ASSERT_RESULT(std::vector<uint32_t> words, download(*grid));
    EXPECT_EQ(words[3], 0u) << "gl_GlobalInvocationID differs from gl_WorkGroupID";
    if (seen)
      std::copy_n(words.begin(), 4, seen->begin());
  }
};
PUMICE_CONFORMANCE_AREA(Limits);

TEST_P(Limits, Grids) {
  for (std::array<uint32_t, 3> groups :
       {std::array<uint32_t, 3>{1, 1, 1}, {1000, 1, 1}, {1, 1000, 1}, {1, 1, 1000}, {7, 11, 13}}) {
    std::array<uint32_t, 4> seen{};
    ASSERT_NO_FATAL_FAILURE(runGrid(groups, &seen));
    EXPECT_TRUE(std::equal(groups.begin(), groups.end(), seen.begin()));
  }
}

TEST_P(Limits, NoGroups) {
  for (std::array<uint32_t, 3> groups :
       {std::array<uint32_t, 3>{0, 1, 1}, {1, 0, 1}, {1, 1, 0}, {0, 0, 0}, {UINT32_MAX, 0, 1}})
    ASSERT_NO_FATAL_FAILURE(runGrid(groups));
}

TEST_P(Limits, GridsBeyondOneCommand) {
  for (size_t dimension = 0; dimension < 3; ++dimension) {
    uint32_t most = limits().maxGroups[dimension];
    if (most > 1u << 24)
      continue; // no memory holds a word for each; the device never needs a split
    for (uint32_t extent : {most, most + 1, 2 * most + 3}) {
      std::array<uint32_t, 3> groups{1, 1, 1};
      groups[dimension] = extent;
      ASSERT_NO_FATAL_FAILURE(runGrid(groups)) << extent;
      groups[(dimension + 1) % 3] = 3;
      ASSERT_NO_FATAL_FAILURE(runGrid(groups)) << extent << " by 3";
    }
  }
}

TEST_P(Limits, LargestWorkgroups) {
  for (size_t dimension = 0; dimension < 3; ++dimension) {
    uint32_t extent =
        std::min(limits().maxWorkgroupSize[dimension], limits().maxWorkgroupInvocations);
    std::vector<SpecializationConstant> constants;
    for (uint32_t i = 0; i < 3; ++i)
      constants.push_back({i, 4, i == dimension ? extent : 1});
    ASSERT_RESULT(Ref<Kernel> kernel, makeKernel(*device, "WorkgroupSize", {{0, 0}}, 0, constants));
    ASSERT_RESULT(Ref<Buffer> buffer, upload(std::vector<uint32_t>(4)));
    const BufferRange bindings[] = {{buffer.get()}};
    const BufferUse uses[] = {{buffer.get()}};
    Dispatch work;
    work.kernel = kernel.get();
    work.groups = {10, 1, 1};
    work.bindings = bindings;
    work.uses = uses;
    ASSERT_OK(queue->dispatch(work));
    ASSERT_RESULT(std::vector<uint32_t> received, download(*buffer));
    EXPECT_EQ(received[3], 10 * extent);
  }
}

TEST_P(Limits, LargestWorkgroupMemory) {
  uint32_t words = limits().maxWorkgroupMemoryBytes / 4;
  std::vector<uint32_t> sent = randomWords(words);
  ASSERT_RESULT(Ref<Kernel> kernel, makeKernel(*device, "Shared", {{0, 0}}, 0, {{3, 4, words}}));
  ASSERT_RESULT(Ref<Buffer> buffer, upload(sent));
  const BufferRange bindings[] = {{buffer.get()}};
  const BufferUse uses[] = {{buffer.get()}};
  Dispatch work;
  work.kernel = kernel.get();
  work.bindings = bindings;
  work.uses = uses;
  ASSERT_OK(queue->dispatch(work));
  ASSERT_RESULT(std::vector<uint32_t> received, download(*buffer));
  EXPECT_EQ(received, std::vector<uint32_t>(sent.rbegin(), sent.rend()));
}

TEST_P(Limits, DescriptionMakesSense) {
  EXPECT_EQ(info().id, devicesUnderTest()[GetParam()].info.id);
  EXPECT_TRUE(info().id.starts_with(info().driver + ":")) << info().id;
  EXPECT_FALSE(info().name.empty());
  EXPECT_FALSE(info().kinds.empty());
  EXPECT_GT(info().memoryBytes, 0u);
  EXPECT_GT(limits().maxBufferBytes, 0u);
  EXPECT_GE(limits().maxBindingBytes, uint64_t{1} << 27);
  EXPECT_GE(limits().maxUniformBytes, 16384u);
  EXPECT_GE(limits().maxWorkgroupInvocations, 128u);
  EXPECT_LE(limits().minSubgroupSize, limits().subgroupSize);
  EXPECT_LE(limits().subgroupSize, limits().maxSubgroupSize);
  for (uint64_t alignment : {limits().bindingAlignment, limits().uniformAlignment})
    EXPECT_TRUE(alignment && (alignment & (alignment - 1)) == 0) << alignment;
}

} // namespace pumice::hal::conformance
