//===- LimitTest.cpp - grids at and beyond the limits, and no grid at all ---===//
#include "runtime/hal/conformance/Conformance.h"

#include <algorithm>

namespace pumice::hal::conformance {

struct Limits : ConformanceTest {
  Status dispatch(Kernel &kernel, std::array<uint32_t, 3> groups,
                  std::span<const BufferRange> bindings,
                  std::span<const std::byte> pushConstants = {}) {
    std::vector<BufferUse> uses;
    for (const BufferRange &binding : bindings)
      uses.push_back({binding.buffer});
    Dispatch work;
    work.kernel = &kernel;
    work.groups = groups;
    work.pushConstants = pushConstants;
    work.bindings = bindings;
    work.uses = uses;
    return submit(*queue, work);
  }

  /// Runs `Groups` over the grid, and checks that each workgroup ran once.
  void runGrid(std::array<uint32_t, 3> groups) {
    ASSERT_RESULT(Ref<Kernel> kernel, makeKernel(*device, "Groups", {{0, 0}, {0, 1}}, 8));
    uint64_t total = uint64_t{groups[0]} * groups[1] * groups[2];
    std::vector<uint32_t> expected(std::max<uint64_t>(total, 1), total ? 1 : 0);
    ASSERT_RESULT(Ref<Buffer> visits, upload(std::vector<uint32_t>(expected.size())));
    ASSERT_RESULT(Ref<Buffer> wrong, upload(std::vector<uint32_t>(1)));
    const BufferRange bindings[] = {{visits.get()}, {wrong.get()}};
    const uint32_t parameters[] = {groups[0], groups[1]};
    ASSERT_OK(dispatch(*kernel, groups, bindings, bytesOf(parameters)));
    ASSERT_RESULT(std::vector<uint32_t> received, download(*visits));
    for (uint64_t i = 0; i < expected.size(); ++i)
      ASSERT_EQ(received[i], expected[i]) << "group " << i << " of " << total;
    ASSERT_RESULT(received, download(*wrong));
    EXPECT_EQ(received[0], 0u) << "gl_GlobalInvocationID differs from gl_WorkGroupID";
  }
};
PUMICE_CONFORMANCE_AREA(Limits);

using enum StatusCode;

TEST_P(Limits, Grids) {
  ASSERT_RESULT(Ref<Kernel> kernel, makeKernel(*device, "Grid", {{0, 0}}));
  for (std::array<uint32_t, 3> groups :
       {std::array<uint32_t, 3>{1, 1, 1}, {1000, 1, 1}, {1, 1000, 1}, {1, 1, 1000}, {7, 11, 13}}) {
    ASSERT_NO_FATAL_FAILURE(runGrid(groups));
    ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(12));
    const BufferRange bindings[] = {{buffer.get()}};
    ASSERT_OK(dispatch(*kernel, groups, bindings));
    ASSERT_RESULT(std::vector<uint32_t> seen, download(*buffer));
    EXPECT_EQ(seen, std::vector<uint32_t>(groups.begin(), groups.end()));
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
      continue; // the result would not fit in memory, and no driver splits such grids
    for (uint32_t extent : {most, most + 1, 2 * most + 3}) {
      std::array<uint32_t, 3> groups{1, 1, 1};
      groups[dimension] = extent;
      ASSERT_NO_FATAL_FAILURE(runGrid(groups)) << extent;
      groups[(dimension + 1) % 3] = 3;
      ASSERT_NO_FATAL_FAILURE(runGrid(groups)) << extent << " by 3";
    }
  }
}

TEST_P(Limits, KernelsThatCountGroups) {
  // This kernel reads the number of workgroups. It must see the size of the whole grid, even if the
  // grid is split.
  ASSERT_RESULT(Ref<Kernel> kernel, makeKernel(*device, "Grid", {{0, 0}}));
  for (size_t dimension = 0; dimension < 3; ++dimension) {
    if (limits().maxGroups[dimension] > 1u << 24)
      continue;
    std::array<uint32_t, 3> groups{1, 1, 1};
    groups[dimension] = limits().maxGroups[dimension] + 1;
    ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(12));
    const BufferRange bindings[] = {{buffer.get()}};
    ASSERT_OK(dispatch(*kernel, groups, bindings));
    ASSERT_RESULT(std::vector<uint32_t> seen, download(*buffer));
    EXPECT_EQ(seen, std::vector<uint32_t>(groups.begin(), groups.end()));
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
    ASSERT_OK(dispatch(*kernel, {10, 1, 1}, bindings));
    ASSERT_RESULT(std::vector<uint32_t> received, download(*buffer));
    EXPECT_EQ(received[3], 10 * extent);
  }
  // A larger workgroup must be rejected by a Status. Some drivers would run it, and others would
  // crash. The launch gives the size of OpenCL's kernels, so no constant is named.
  bool named = hasDescriptors();
  for (size_t dimension = 0; dimension < 3; ++dimension) {
    auto sized = [&](uint32_t extent) {
      std::vector<SpecializationConstant> constants;
      for (uint32_t i = 0; i < 3; ++i)
        constants.push_back({i, 4, i == dimension ? extent : 1});
      return makeKernel(*device, "WorkgroupSize", {{0, 0}}, 0, constants);
    };
    uint32_t most = limits().maxWorkgroupSize[dimension];
    std::string number = std::to_string(dimension);
    EXPECT_TRUE(isError(sized(most + 1), Unsupported,
                        {"WorkgroupSize", "workgroups of " + std::to_string(most + 1),
                         "maxComputeWorkGroupSize is " + std::to_string(most),
                         named ? "specialization constant " + number : ""}));
    if (named) // OpenCL's kernels have one invocation along an axis without a size
      EXPECT_TRUE(isError(sized(0), InvalidArgument,
                          {"workgroups of 0 along", "specialization constant " + number}));
  }
  uint32_t most = limits().maxWorkgroupInvocations;
  EXPECT_TRUE(isError(
      makeKernel(*device, "WorkgroupSize", {{0, 0}}, 0, {{0, 4, most / 2 + 1}, {1, 4, 2}}),
      Unsupported, {"invocations", "maxComputeWorkGroupInvocations is " + std::to_string(most)}));
}

TEST_P(Limits, LargestWorkgroupMemory) {
  uint32_t words = limits().maxWorkgroupMemoryBytes / 4;
  std::vector<uint32_t> sent = randomWords(words);
  ASSERT_RESULT(Ref<Kernel> kernel, makeKernel(*device, "Shared", {{0, 0}}, 0, {{3, 4, words}}));
  ASSERT_RESULT(Ref<Buffer> buffer, upload(sent));
  const BufferRange bindings[] = {{buffer.get()}};
  ASSERT_OK(dispatch(*kernel, {1, 1, 1}, bindings));
  ASSERT_RESULT(std::vector<uint32_t> received, download(*buffer));
  EXPECT_EQ(received, std::vector<uint32_t>(sent.rbegin(), sent.rend()));
  for (uint32_t tooMany : {words + 1, 100000000u})
    EXPECT_TRUE(isError(
        makeKernel(*device, "Shared", {{0, 0}}, 0, {{3, 4, tooMany}}), Unsupported,
        {"Shared", std::to_string(uint64_t{tooMany} * 4) + " bytes of workgroup memory",
         "maxComputeSharedMemorySize is " + std::to_string(limits().maxWorkgroupMemoryBytes)}));
  if (hasDescriptors()) // the code of OpenCL's kernel has no array
    EXPECT_TRUE(isError(makeKernel(*device, "Shared", {{0, 0}}, 0, {{3, 4, 0}}), InvalidArgument,
                        {"0 elements", "specialization constant 3"}));
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
