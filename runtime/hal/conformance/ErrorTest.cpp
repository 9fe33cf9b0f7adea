//===- ErrorTest.cpp - errors that the headers promise ----------------------===//
// Each message must name the wrong value. A rejected call must have no effect.
//===-------------------------------------------------------------------------===//
#include "runtime/hal/conformance/Conformance.h"

namespace pumice::hal::conformance {

using enum StatusCode;

struct Errors : ConformanceTest {
  KernelSource mixSource() const {
    KernelSource source = sourceOf(info(), "Mix", {{0, 0}, {0, 1}, {0, 2}}, 12);
    source.label = "mixer";
    return source;
  }

  /// Checks descriptors that no layout can have.
  void descriptors() {
    using enum StatusCode;
    KernelSource source;
    source = mixSource();
    source.bindings = {{0, 1}, {2, 5}, {0, 1}};
    EXPECT_TRUE(isError(device->createKernel(source), InvalidArgument, {"set 0 binding 1"}));
    source = mixSource();
    source.bindings = {{0, 0}, {limits().descriptors.sets, 0}};
    EXPECT_TRUE(isError(
        device->createKernel(source), Unsupported,
        {"mixer", "maxBoundDescriptorSets is " + std::to_string(limits().descriptors.sets)}));
    for (bool uniform : {false, true}) {
      const DescriptorLimits &most = limits().descriptors;
      uint32_t count = uniform ? most.stageUniformBuffers : most.stageStorageBuffers;
      std::string type = uniform ? "Uniform" : "Storage";
      if (count > 1u << 24)
        continue;
      source.bindings = {
          {0, 1, uniform, count}}; // array element `count` needs count + 1 descriptors
      EXPECT_TRUE(isError(
          device->createKernel(source), Unsupported,
          {std::to_string(count + 1) + (uniform ? " uniform" : " storage") + " buffers",
           "maxPerStageDescriptor" + type + "Buffers is " + std::to_string(count), "addresses"}));
    }
  }

  /// Checks that the device still works.
  void stillWorks() {
    ASSERT_OK(device->health());
    ASSERT_RESULT(Mix mix, Mix::make(*device));
    std::vector<uint32_t> words = randomWords(100);
    ASSERT_RESULT(Ref<Buffer> buffer, upload(words));
    ASSERT_OK(mix.dispatch(*queue, *buffer, *buffer, *buffer, 100));
    ASSERT_RESULT(std::vector<uint32_t> received, download(*buffer));
    EXPECT_EQ(received, Mix::of(words, words));
  }
};
PUMICE_CONFORMANCE_AREA(Errors);

TEST_P(Errors, KernelSources) {
  KernelSource source = mixSource();
  source.code = {};
  EXPECT_TRUE(
      isError(device->createKernel(source), InvalidArgument, {"mixer", "the code is empty"}));
  source = mixSource();
  source.pushConstantBytes = 10;
  EXPECT_TRUE(isError(device->createKernel(source), InvalidArgument, {"mixer", "10", "4"}));
  source.pushConstantBytes = limits().maxPushConstantBytes + 4;
  EXPECT_TRUE(isError(device->createKernel(source), Unsupported,
                      {"mixer", std::to_string(source.pushConstantBytes), "maxPushConstantsSize",
                       std::to_string(limits().maxPushConstantBytes)}));
  if (hasDescriptors())
    ASSERT_NO_FATAL_FAILURE(descriptors());
  source = mixSource();
  source.constants = {{4, 3, 0}};
  EXPECT_TRUE(isError(device->createKernel(source), InvalidArgument, {"constant 4", "3 bytes"}));
  source.constants = {{4, 4, 0}, {5, 4, 0}, {4, 4, 1}};
  EXPECT_TRUE(isError(device->createKernel(source), InvalidArgument, {"constant 4", "twice"}));
  for (executable::VariantKind kind :
       {executable::VariantKind::OpenclSpirv, executable::VariantKind::Msl})
    if (std::find(info().kinds.begin(), info().kinds.end(), kind) == info().kinds.end()) {
      source = mixSource();
      source.kind = kind;
      EXPECT_TRUE(isError(device->createKernel(source), Unsupported,
                          {info().id, executable::toString(kind)}));
    }
  stillWorks();
}

TEST_P(Errors, SubgroupSizes) {
  KernelSource source = mixSource();
  source.requiredSubgroupSize = 12;
  EXPECT_TRUE(isError(device->createKernel(source), InvalidArgument, {"12", "power of two"}));
  source.requiredSubgroupSize = 2 * limits().maxSubgroupSize;
  EXPECT_TRUE(isError(
      device->createKernel(source), Unsupported,
      {std::to_string(source.requiredSubgroupSize), std::to_string(limits().maxSubgroupSize)}));
  stillWorks();
}

TEST_P(Errors, InvalidCode) {
  // Broken code could crash a driver's compiler, so it must be rejected before.
  KernelSource source = mixSource();
  std::vector<uint8_t> words(source.code.begin(), source.code.end());
  std::vector<std::vector<uint8_t>> broken(5, words);
  broken[0].resize(3);
  broken[1].resize(20);                       // only the header
  broken[2][0] ^= 0xff;                       // a wrong magic number
  broken[3].resize(words.size() / 2 / 4 * 4); // cut in the middle
  // Not a multiple of four bytes. Metal's language ends with a bracket and blanks.
  bool isMsl = source.kind == executable::VariantKind::Msl;
  broken[4].resize(words.size() - (isMsl ? 6 : 2));
  for (size_t i = 0; i < broken.size(); ++i) {
    source.code = broken[i];
    Result<Ref<Kernel>> kernel = device->createKernel(source);
    EXPECT_FALSE(kernel.isOk()) << i;
    if (!kernel.isOk())
      EXPECT_NE(kernel.status().message().find("mixer"), std::string::npos)
          << kernel.status().toString();
  }
  source = mixSource();
  source.symbol = "not_main";
  EXPECT_TRUE(isError(device->createKernel(source), InvalidArgument, {"not_main"}));
  stillWorks();
}

TEST_P(Errors, Dispatches) {
  NEEDS(hasDescriptors(), "descriptors");
  ASSERT_RESULT(Ref<Kernel> kernel, device->createKernel(mixSource()));
  uint64_t step = std::max<uint64_t>(limits().bindingAlignment, 4);
  ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(4 * step));
  const std::array<std::byte, 12> push{};
  const std::vector<BufferRange> good(3, {buffer.get()});
  const BufferUse uses[] = {{buffer.get()}};
  auto tryBindings = [&](std::span<const BufferRange> bindings, size_t pushBytes = 12) {
    Dispatch work;
    work.kernel = kernel.get();
    work.pushConstants = std::span(push).first(pushBytes);
    work.bindings = bindings;
    work.uses = uses;
    return queue->dispatch(work);
  };
  EXPECT_TRUE(isError(queue->dispatch({}), InvalidArgument, {"kernel"}));
  EXPECT_TRUE(isError(tryBindings(good, 8), InvalidArgument, {"mixer", "8 bytes", "12"}));
  EXPECT_TRUE(isError(tryBindings(std::span(good).first(2)), InvalidArgument,
                      {"mixer", "2 bindings", "3"}));
  auto withMiddle = [&](BufferRange range) {
    std::vector<BufferRange> bindings = good;
    bindings[1] = range;
    return tryBindings(bindings);
  };
  EXPECT_TRUE(
      isError(withMiddle({}), InvalidArgument, {"mixer", "set 0 binding 1", "buffer is null"}));
  EXPECT_TRUE(
      isError(withMiddle({buffer.get(), 4 * step}), InvalidArgument, {"set 0 binding 1", "empty"}));
  EXPECT_TRUE(isError(withMiddle({buffer.get(), 0, 4 * step + 1}), InvalidArgument,
                      {"set 0 binding 1", std::to_string(4 * step + 1), std::to_string(4 * step)}));
  if (limits().bindingAlignment > 1)
    EXPECT_TRUE(isError(withMiddle({buffer.get(), step + step / 2}), InvalidArgument,
                        {"set 0 binding 1", std::to_string(step + step / 2),
                         std::to_string(limits().bindingAlignment)}));
  EXPECT_TRUE(withMiddle({buffer.get(), step}).isOk());
  EXPECT_TRUE(queue->finish().isOk());
  stillWorks();
}

TEST_P(Errors, DescriptorsThatReachTooFar) {
  NEEDS(hasDescriptors(), "descriptors");
  uint64_t bytes = limits().maxBindingBytes + 4;
  NEEDS(bytes <= limits().maxBufferBytes, "buffers larger than a descriptor reaches");
  Result<Ref<Buffer>> buffer = device->allocate(bytes);
  NEEDS(buffer.isOk(), buffer.status().toString());
  ASSERT_RESULT(Ref<Kernel> kernel, makeKernel(*device, "Push1", {{0, 0}}, 4));
  const BufferRange bindings[] = {{buffer->get()}};
  const std::array<std::byte, 4> push{};
  Dispatch work;
  work.kernel = kernel.get();
  work.pushConstants = push;
  work.bindings = bindings;
  EXPECT_TRUE(isError(
      queue->dispatch(work), InvalidArgument,
      {"set 0 binding 0", std::to_string(bytes), std::to_string(limits().maxBindingBytes)}));
}

TEST_P(Errors, ObjectsOfAnotherDevice) {
  ASSERT_RESULT(Ref<Device> other, openAnother());
  ASSERT_RESULT(Ref<Buffer> theirs, other->allocate(64));
  ASSERT_RESULT(Ref<Buffer> ours, device->allocate(64));
  ASSERT_RESULT(Ref<Timeline> timeline, other->createTimeline(1));
  ASSERT_RESULT(Ref<Kernel> theirKernel, other->createKernel(mixSource()));
  ASSERT_RESULT(Ref<Kernel> ourKernel, device->createKernel(mixSource()));
  std::vector<std::byte> bytes(64);
  EXPECT_TRUE(isError(queue->copy({ours.get()}, {theirs.get()}), InvalidArgument,
                      {"copy from", "belongs to", info().id}));
  EXPECT_TRUE(isError(queue->copy({theirs.get()}, {ours.get()}), InvalidArgument, {"copy to"}));
  EXPECT_TRUE(isError(queue->fill({theirs.get()}, 1), InvalidArgument, {"fill"}));
  EXPECT_TRUE(isError(queue->upload({theirs.get()}, bytes), InvalidArgument, {"upload"}));
  EXPECT_TRUE(isError(queue->download(bytes, {theirs.get()}), InvalidArgument, {"download"}));
  EXPECT_TRUE(isError(queue->wait({timeline.get(), 1}), InvalidArgument, {"timeline"}));
  EXPECT_TRUE(isError(queue->signal({timeline.get(), 2}), InvalidArgument, {"timeline"}));
  EXPECT_TRUE(isError(queue->wait({nullptr, 1}), InvalidArgument, {"timeline"}));
  EXPECT_TRUE(isError(queue->signal({nullptr, 1}), InvalidArgument, {"timeline"}));

  const std::array<std::byte, 12> push{};
  const BufferRange bindings[] = {{ours.get()}, {theirs.get()}, {ours.get()}};
  const BufferUse uses[] = {{theirs.get()}};
  Dispatch work;
  work.pushConstants = push;
  work.bindings = bindings;
  work.kernel = theirKernel.get();
  EXPECT_TRUE(isError(submit(*queue, work), InvalidArgument, {"kernel", "mixer"}));
  work.kernel = ourKernel.get();
  if (hasDescriptors())
    EXPECT_TRUE(isError(submit(*queue, work), InvalidArgument, {"mixer", "set 0 binding 1"}));
  const BufferRange own[] = {{ours.get()}, {ours.get()}, {ours.get()}};
  work.bindings = own;
  work.uses = uses;
  EXPECT_TRUE(isError(submit(*queue, work), InvalidArgument, {"mixer", "uses"}));
  stillWorks();
}

TEST_P(Errors, RefusedWorkLeavesNoTrace) {
  std::vector<uint32_t> words = randomWords(16);
  ASSERT_RESULT(Ref<Buffer> buffer, upload(words));
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(queue->fill({buffer.get(), 0, 3}, 0, 2).isOk());
    EXPECT_FALSE(queue->copy({buffer.get(), 0, 8}, {buffer.get(), 4, 8}).isOk());
    EXPECT_FALSE(queue->dispatch({}).isOk());
  }
  EXPECT_TRUE(queue->finish().isOk());
  ASSERT_RESULT(std::vector<uint32_t> received, download(*buffer));
  EXPECT_EQ(received, words);
}

} // namespace pumice::hal::conformance
