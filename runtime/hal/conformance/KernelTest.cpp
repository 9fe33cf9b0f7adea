//===- KernelTest.cpp - dispatches with everything that a kernel can take ---===//
#include "runtime/hal/FragmentProbe.h"
#include "runtime/hal/conformance/Conformance.h"

#include <bit>

namespace pumice::hal::conformance {

struct Kernels : ConformanceTest {
  /// Runs one dispatch whose only arguments are these buffers.
  Status run(Kernel &kernel, std::span<const BufferRange> bindings,
             std::span<const std::byte> pushConstants = {},
             std::array<uint32_t, 3> groups = {1, 1, 1}) {
    std::vector<BufferUse> uses;
    for (const BufferRange &binding : bindings)
      if (std::none_of(uses.begin(), uses.end(),
                       [&](const BufferUse &use) { return use.buffer == binding.buffer; }))
        uses.push_back({binding.buffer});
    Dispatch work;
    work.kernel = &kernel;
    work.groups = groups;
    work.pushConstants = pushConstants;
    work.bindings = bindings;
    work.uses = uses;
    return submit(*queue, work);
  }

  /// Returns what the kernel writes to a zeroed buffer at set 0, binding 0. The kernel has no push
  /// constants.
  Result<std::vector<uint32_t>> resultOf(std::string_view name, uint32_t words,
                                         std::vector<SpecializationConstant> constants) {
    PUMICE_TRY(Ref<Kernel> kernel, makeKernel(*device, name, {{0, 0}}, 0, std::move(constants)));
    PUMICE_TRY(Ref<Buffer> buffer, upload(std::vector<uint32_t>(words)));
    const BufferRange bindings[] = {{buffer.get()}};
    PUMICE_RETURN_IF_ERROR(run(*kernel, bindings));
    return download(*buffer);
  }
};
PUMICE_CONFORMANCE_AREA(Kernels);

TEST_P(Kernels, StorageBuffers) {
  ASSERT_RESULT(Mix mix, Mix::make(*device));
  for (uint32_t count : {1u, 63u, 64u, 65u, 100000u}) {
    std::vector<uint32_t> a = randomWords(count, 1), b = randomWords(count, 2);
    ASSERT_RESULT(Ref<Buffer> bufferA, upload(a));
    ASSERT_RESULT(Ref<Buffer> bufferB, upload(b));
    ASSERT_RESULT(Ref<Buffer> result, device->allocate(count * 4));
    ASSERT_OK(mix.dispatch(*queue, *result, *bufferA, *bufferB, count));
    ASSERT_RESULT(std::vector<uint32_t> received, download(*result));
    ASSERT_EQ(received, Mix::of(a, b)) << count;
  }
}

TEST_P(Kernels, BufferAddresses) {
  NEEDS(info().bufferAddresses, "buffer device addresses");
  ASSERT_RESULT(Mix mix, Mix::make(*device, Mix::Addressing::Addresses));
  for (MemoryKind kind : {MemoryKind::Device, MemoryKind::Host}) {
    std::vector<uint32_t> a = randomWords(1000, 1), b = randomWords(1000, 2);
    ASSERT_RESULT(Ref<Buffer> bufferA, upload(a, kind));
    ASSERT_RESULT(Ref<Buffer> bufferB, upload(b, kind));
    ASSERT_RESULT(Ref<Buffer> result, device->allocate(4000, kind));
    ASSERT_OK(mix.dispatch(*queue, *result, *bufferA, *bufferB, 1000));
    ASSERT_RESULT(std::vector<uint32_t> received, download(*result));
    EXPECT_EQ(received, Mix::of(a, b));
  }
}

TEST_P(Kernels, OffsetsOfDescriptors) {
  ASSERT_RESULT(Mix mix, Mix::make(*device));
  uint64_t step = std::max<uint64_t>(limits().bindingAlignment, 4);
  std::vector<uint32_t> words = randomWords(16 * step);
  ASSERT_RESULT(Ref<Buffer> from, upload(words));
  ASSERT_RESULT(Ref<Buffer> to, upload(std::vector<uint32_t>(16 * step, 5)));
  std::vector<uint32_t> expected(16 * step, 5);
  for (uint32_t i = 0; i < 8; ++i) {
    uint32_t count = 1 + static_cast<uint32_t>(i * step / 8);
    uint64_t atA = i * step, atB = (7 - i) * step, atResult = i * 4 * step;
    const BufferRange bindings[] = {
        {to.get(), atResult, count * 4}, {from.get(), atA, count * 4}, {from.get(), atB}};
    const uint32_t parameters[] = {count, 3, 0};
    ASSERT_OK(run(*mix.kernel(), bindings, bytesOf(parameters), {(count + 63) / 64, 1, 1}));
    for (uint32_t j = 0; j < count; ++j)
      expected[atResult / 4 + j] = Mix::of(words[atA / 4 + j], words[atB / 4 + j], j);
  }
  ASSERT_RESULT(std::vector<uint32_t> received, download(*to));
  for (uint64_t i = 0; i < expected.size(); ++i)
    ASSERT_EQ(received[i], expected[i]) << "byte " << i * 4 << ", offsets of " << step << " bytes";
}

TEST_P(Kernels, UniformBuffers) {
  ASSERT_RESULT(Ref<Kernel> kernel, makeKernel(*device, "Uniform", {{0, 0, true}, {0, 1}}));
  uint64_t step = (limits().uniformAlignment + 63) / 64 * 64; // whole aligned blocks
  std::vector<uint32_t> words = randomWords(4 * step / 4);
  ASSERT_RESULT(Ref<Buffer> uniform, upload(words));
  for (uint64_t i = 0; i < 4; ++i) {
    ASSERT_RESULT(Ref<Buffer> result, device->allocate(64));
    const BufferRange bindings[] = {{uniform.get(), i * step, 64}, {result.get()}};
    ASSERT_OK(run(*kernel, bindings));
    ASSERT_RESULT(std::vector<uint32_t> received, download(*result));
    for (uint32_t j = 0; j < 16; ++j)
      EXPECT_EQ(received[j], words[i * step / 4 + j] + j) << "block " << i;
  }
}

TEST_P(Kernels, SeveralSetsWithGaps) {
  NEEDS(hasDescriptors(), "descriptors");
  // The slots are in no particular order. A dispatch lists its buffers in the order of the slots.
  ASSERT_RESULT(Ref<Kernel> kernel, makeKernel(*device, "Sets", {{3, 2}, {0, 3}, {1, 7}, {1, 0}}));
  std::vector<uint32_t> a = randomWords(64, 1), b = randomWords(64, 2), c = randomWords(64, 3);
  ASSERT_RESULT(Ref<Buffer> bufferA, upload(a));
  ASSERT_RESULT(Ref<Buffer> bufferB, upload(b));
  ASSERT_RESULT(Ref<Buffer> bufferC, upload(c));
  ASSERT_RESULT(Ref<Buffer> result, device->allocate(300));
  const BufferRange bindings[] = {
      {bufferC.get()}, {result.get(), 0, 256}, {bufferB.get()}, {bufferA.get()}};
  ASSERT_OK(run(*kernel, bindings));
  ASSERT_RESULT(std::vector<uint32_t> received, download(*result, 64));
  for (uint32_t i = 0; i < 64; ++i)
    ASSERT_EQ(received[i], a[i] + 2 * b[i] + 4 * c[i] + 8 * 64) << i; // 64 words are bound
}

TEST_P(Kernels, ArraysOfDescriptors) {
  NEEDS(hasDescriptors(), "descriptors");
  ASSERT_RESULT(Ref<Kernel> kernel,
                makeKernel(*device, "DescriptorArray",
                           {{0, 4, false, 2}, {0, 1}, {0, 4, false, 0}, {0, 4, false, 1}}));
  std::vector<uint32_t> a = randomWords(64, 1), b = randomWords(64, 2), c = randomWords(64, 3);
  ASSERT_RESULT(Ref<Buffer> bufferA, upload(a));
  ASSERT_RESULT(Ref<Buffer> bufferB, upload(b));
  ASSERT_RESULT(Ref<Buffer> bufferC, upload(c));
  ASSERT_RESULT(Ref<Buffer> result, device->allocate(256));
  const BufferRange bindings[] = {
      {bufferC.get()}, {result.get()}, {bufferA.get()}, {bufferB.get()}};
  ASSERT_OK(run(*kernel, bindings));
  ASSERT_RESULT(std::vector<uint32_t> received, download(*result, 64));
  for (uint32_t i = 0; i < 64; ++i)
    ASSERT_EQ(received[i], a[i] + 2 * b[i] + 4 * c[i]) << i;
  EXPECT_TRUE(isError(makeKernel(*device, "DescriptorArray", {{0, 1}, {0, 4}, {0, 4}}).status(),
                      StatusCode::InvalidArgument, {"set 0 binding 4", "named twice"}));
}

TEST_P(Kernels, PushConstantsUpToTheLimit) {
  EXPECT_GE(limits().maxPushConstantBytes, 128u) << "Vulkan promises as much";
  for (uint32_t words : {1u, 32u, 64u}) {
    if (words * 4 > limits().maxPushConstantBytes)
      continue;
    ASSERT_RESULT(Ref<Kernel> kernel,
                  makeKernel(*device, "Push" + std::to_string(words), {{0, 0}}, words * 4));
    ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(words * 4));
    const BufferRange bindings[] = {{buffer.get()}};
    for (uint32_t seed : {1u, 2u}) {
      std::vector<uint32_t> sent = randomWords(words, seed);
      ASSERT_OK(run(*kernel, bindings, bytesOf(sent)));
      ASSERT_RESULT(std::vector<uint32_t> received, download(*buffer));
      EXPECT_EQ(received, sent);
    }
  }
}

TEST_P(Kernels, PushConstantsAreReadBeforeTheCallReturns) {
  ASSERT_RESULT(Ref<Kernel> kernel, makeKernel(*device, "Push1", {{0, 0}}, 4));
  std::vector<Ref<Buffer>> buffers;
  for (uint32_t i = 0; i < 300; ++i) {
    ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(4));
    BufferRange binding{buffer.get()};
    uint32_t value = i * 77;
    ASSERT_OK(run(*kernel, std::span(&binding, 1), std::as_bytes(std::span(&value, 1))));
    value = 1;
    binding = {};
    buffers.push_back(std::move(buffer));
  }
  for (uint32_t i = 0; i < buffers.size(); ++i) {
    ASSERT_RESULT(std::vector<uint32_t> received, download(*buffers[i]));
    ASSERT_EQ(received[0], i * 77);
  }
}

TEST_P(Kernels, SpecializationConstants32) {
  ASSERT_RESULT(std::vector<uint32_t> defaults, resultOf("Constants32", 5, {}));
  EXPECT_EQ(defaults, (std::vector<uint32_t>{UINT32_MAX, 1, std::bit_cast<uint32_t>(0.5f), 1, 0}));
  ASSERT_RESULT(std::vector<uint32_t> given, resultOf("Constants32", 5,
                                                      {{14, 4, 1}, // in random order
                                                       {10, 4, 0x80000001},
                                                       {11, 4, UINT32_MAX},
                                                       {12, 4, std::bit_cast<uint32_t>(-1.25f)},
                                                       {13, 4, 0}}));
  EXPECT_EQ(given,
            (std::vector<uint32_t>{0x80000001, UINT32_MAX, std::bit_cast<uint32_t>(-1.25f), 0, 1}));
  ASSERT_RESULT(std::vector<uint32_t> some, resultOf("Constants32", 5, {{11, 4, 9}}));
  EXPECT_EQ(some[0], UINT32_MAX);
  EXPECT_EQ(some[1], 9u);
}

TEST_P(Kernels, SpecializationConstants8) {
  NEEDS(has("shaderInt8"), "shaderInt8");
  ASSERT_RESULT(std::vector<uint32_t> given,
                resultOf("Constants8", 2, {{10, 1, 0x85}, {11, 1, 0xfe}}));
  EXPECT_EQ(given, (std::vector<uint32_t>{0xffffff85, 0xfe}));
}

TEST_P(Kernels, SpecializationConstants16) {
  NEEDS(has("shaderInt16"), "shaderInt16");
  ASSERT_RESULT(std::vector<uint32_t> given,
                resultOf("Constants16", 2, {{10, 2, 0x8001}, {11, 2, 0xfffe}}));
  EXPECT_EQ(given, (std::vector<uint32_t>{0xffff8001, 0xfffe}));
}

TEST_P(Kernels, SpecializationConstantsHalf) {
  NEEDS(has("shaderFloat16"), "shaderFloat16");
  ASSERT_RESULT(std::vector<uint32_t> given, resultOf("ConstantsHalf", 1, {{10, 2, 0xc500}}));
  EXPECT_EQ(given[0], std::bit_cast<uint32_t>(-5.0f));
}

TEST_P(Kernels, SpecializationConstants64) {
  NEEDS(has("shaderInt64"), "shaderInt64");
  ASSERT_RESULT(
      std::vector<uint32_t> given,
      resultOf("Constants64", 4, {{10, 8, 0x8000000000000001}, {11, 8, 0x123456789abcdef0}}));
  EXPECT_EQ(given, (std::vector<uint32_t>{1, 0x80000000, 0x9abcdef0, 0x12345678}));
}

TEST_P(Kernels, SpecializationConstantsDouble) {
  NEEDS(has("shaderFloat64"), "shaderFloat64");
  uint64_t bits = std::bit_cast<uint64_t>(-0.1);
  ASSERT_RESULT(std::vector<uint32_t> given, resultOf("ConstantsDouble", 2, {{10, 8, bits}}));
  EXPECT_EQ(given, (std::vector<uint32_t>{static_cast<uint32_t>(bits),
                                          static_cast<uint32_t>(bits >> 32)}));
}

TEST_P(Kernels, WorkgroupSizeBySpecialization) {
  std::array<uint32_t, 3> sizes[] = {{1, 1, 1}, {7, 1, 1}, {4, 5, 3}, {1, 1, 64}, {128, 1, 1}};
  for (std::array<uint32_t, 3> size : sizes) {
    ASSERT_RESULT(
        std::vector<uint32_t> received,
        resultOf("WorkgroupSize", 4, {{0, 4, size[0]}, {1, 4, size[1]}, {2, 4, size[2]}}));
    EXPECT_EQ(received,
              (std::vector<uint32_t>{size[0], size[1], size[2], size[0] * size[1] * size[2]}));
  }
}

TEST_P(Kernels, WorkgroupMemoryBySpecialization) {
  for (uint32_t count : {1u, 100u, 4096u}) {
    ASSERT_RESULT(Ref<Kernel> kernel, makeKernel(*device, "Shared", {{0, 0}}, 0, {{3, 4, count}}));
    std::vector<uint32_t> words = randomWords(count);
    ASSERT_RESULT(Ref<Buffer> buffer, upload(words));
    const BufferRange bindings[] = {{buffer.get()}};
    ASSERT_OK(run(*kernel, bindings));
    ASSERT_RESULT(std::vector<uint32_t> received, download(*buffer));
    EXPECT_EQ(received, std::vector<uint32_t>(words.rbegin(), words.rend())) << count;
  }
}

TEST_P(Kernels, RequiredSubgroupSizes) {
  NEEDS(limits().subgroupSizeControl, "subgroupSizeControl");
  for (uint32_t size = limits().minSubgroupSize; size <= limits().maxSubgroupSize; size *= 2) {
    KernelSource source = sourceOf(info(), "Subgroups", {{0, 0}});
    source.requiredSubgroupSize = size;
    source.fullSubgroups = limits().fullSubgroups && 64 % size == 0;
    ASSERT_RESULT(Ref<Kernel> kernel, device->createKernel(source));
    ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(8));
    const BufferRange bindings[] = {{buffer.get()}};
    ASSERT_OK(run(*kernel, bindings));
    ASSERT_RESULT(std::vector<uint32_t> received, download(*buffer));
    EXPECT_EQ(received[0], size);
    if (source.fullSubgroups)
      EXPECT_EQ(received[1], 64 / size);
  }
}

TEST_P(Kernels, OneKernelInManyPlaces) {
  // Launches one kernel with other buffers each time. No launch may see another's descriptors.
  ASSERT_RESULT(Mix mix, Mix::make(*device));
  constexpr uint32_t launches = 2000, words = 16;
  std::vector<Ref<Buffer>> inputs, results;
  std::vector<std::vector<uint32_t>> contents;
  for (uint32_t i = 0; i < 16; ++i) {
    contents.push_back(randomWords(words, i));
    ASSERT_RESULT(Ref<Buffer> buffer, upload(contents.back()));
    inputs.push_back(std::move(buffer));
  }
  for (uint32_t i = 0; i < launches; ++i) {
    ASSERT_RESULT(Ref<Buffer> result, device->allocate(words * 4));
    ASSERT_OK(mix.dispatch(*queue, *result, *inputs[i % 16], *inputs[i / 16 % 16], words, i));
    results.push_back(std::move(result));
  }
  std::vector<uint32_t> received(launches * words);
  for (uint32_t i = 0; i < launches; ++i)
    ASSERT_OK(queue->download(std::as_writable_bytes(std::span(received).subspan(i * words, words)),
                              {results[i].get()}));
  ASSERT_OK(queue->finish());
  for (uint32_t i = 0; i < launches; ++i)
    for (uint32_t j = 0; j < words; ++j)
      ASSERT_EQ(received[i * words + j],
                Mix::of(contents[i % 16][j], contents[i / 16 % 16][j], j, i));
}

TEST_P(Kernels, MatrixFragmentsAreMeasured) {
  std::vector<FragmentKind> kinds = fragmentKinds(info().cooperativeMatrices);
  NEEDS(!kinds.empty(), "cooperative matrices of subgroups");
  std::vector<std::string> maps = measureFragments(*device);
  // Every device that has matrices supports f32 results, and their layout is linear on all known
  // devices.
  EXPECT_TRUE(std::ranges::any_of(maps, [](const std::string &map) {
    return map.starts_with("accumulator ") && map.find(" f32 subgroup components ") != map.npos;
  })) << maps.size();
  EXPECT_EQ(measureFragments(*device), maps);
  EXPECT_EQ(device->measuredInfo().fragmentMaps, maps);
}

} // namespace pumice::hal::conformance
