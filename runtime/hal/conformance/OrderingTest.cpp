//===- OrderingTest.cpp - work looks as if it ran in order ------------------===//
// Each test runs with descriptors and, if the device has them, with addresses. The duration of
// kernels varies, so that a kernel which fails to wait is likely to overtake the one before it.
//===-------------------------------------------------------------------------===//
#include "runtime/hal/conformance/Conformance.h"

namespace pumice::hal::conformance {

struct Ordering : ConformanceTest {
  static constexpr uint32_t count = 3000;

  /// Runs `test` once for each way of addressing that the device supports.
  void forEachAddressing(const std::function<void(const Mix &)> &test) {
    for (Mix::Addressing addressing : {Mix::Addressing::Descriptors, Mix::Addressing::Addresses}) {
      bool addresses = addressing == Mix::Addressing::Addresses;
      if (addresses && !info().bufferAddresses)
        continue;
      SCOPED_TRACE(addresses ? "addresses" : "descriptors");
      ASSERT_RESULT(Mix mix, Mix::make(*device, addressing));
      ASSERT_NO_FATAL_FAILURE(test(mix));
    }
  }
};
PUMICE_CONFORMANCE_AREA(Ordering);

TEST_P(Ordering, ReadAfterWrite) {
  forEachAddressing([&](const Mix &mix) {
    std::vector<uint32_t> model = randomWords(count), b = randomWords(count, 2);
    ASSERT_RESULT(Ref<Buffer> from, upload(model));
    ASSERT_RESULT(Ref<Buffer> bufferB, upload(b));
    ASSERT_RESULT(Ref<Buffer> to, device->allocate(count * 4));
    for (uint32_t i = 0; i < 200; ++i) {
      ASSERT_OK(mix.dispatch(*queue, *to, *from, *bufferB, count, i | 1, i % 7 * 20));
      model = Mix::of(model, b, i | 1, i % 7 * 20);
      std::swap(from, to);
    }
    ASSERT_RESULT(std::vector<uint32_t> received, download(*from));
    EXPECT_EQ(received, model);
  });
}

TEST_P(Ordering, InPlace) {
  forEachAddressing([&](const Mix &mix) {
    std::vector<uint32_t> model = randomWords(count);
    ASSERT_RESULT(Ref<Buffer> buffer, upload(model));
    for (uint32_t i = 0; i < 200; ++i) {
      ASSERT_OK(mix.dispatch(*queue, *buffer, *buffer, *buffer, count, i, 10));
      model = Mix::of(model, model, i, 10);
    }
    ASSERT_RESULT(std::vector<uint32_t> received, download(*buffer));
    EXPECT_EQ(received, model);
  });
}

TEST_P(Ordering, WriteAfterRead) {
  forEachAddressing([&](const Mix &mix) {
    std::vector<uint32_t> first = randomWords(count), second = randomWords(count, 2);
    ASSERT_RESULT(Ref<Buffer> source, upload(first));
    ASSERT_RESULT(Ref<Buffer> other, upload(second));
    std::vector<Ref<Buffer>> results;
    for (uint32_t i = 0; i < 32; ++i) {
      ASSERT_RESULT(Ref<Buffer> result, device->allocate(count * 4));
      // A slow reader precedes a quick writer of the same memory. The writer is a kernel, a fill
      // and a copy in turn.
      ASSERT_OK(mix.dispatch(*queue, *result, *source, *source, count, 3, 400));
      if (i % 3 == 0)
        ASSERT_OK(mix.dispatch(*queue, *source, *other, *other, count, i));
      else if (i % 3 == 1)
        ASSERT_OK(queue->fill({source.get()}, i));
      else
        ASSERT_OK(queue->copy({source.get()}, {other.get()}));
      results.push_back(std::move(result));
    }
    for (uint32_t i = 0; i < results.size(); ++i) {
      ASSERT_RESULT(std::vector<uint32_t> received, download(*results[i]));
      ASSERT_EQ(received, Mix::of(first, first, 3, 400)) << i;
      if (i % 3 == 0)
        first = Mix::of(second, second, i);
      else if (i % 3 == 1)
        first.assign(count, i);
      else
        first = second;
    }
  });
}

TEST_P(Ordering, WriteAfterWrite) {
  forEachAddressing([&](const Mix &mix) {
    std::vector<uint32_t> a = randomWords(count), b = randomWords(count, 2);
    ASSERT_RESULT(Ref<Buffer> bufferA, upload(a));
    ASSERT_RESULT(Ref<Buffer> bufferB, upload(b));
    std::vector<Ref<Buffer>> results;
    for (uint32_t i = 0; i < 32; ++i) {
      ASSERT_RESULT(Ref<Buffer> result, device->allocate(count * 4));
      ASSERT_OK(mix.dispatch(*queue, *result, *bufferB, *bufferA, count, 5, 400));
      if (i % 2)
        ASSERT_OK(mix.dispatch(*queue, *result, *bufferA, *bufferB, count, i));
      else
        ASSERT_OK(queue->fill({result.get()}, i));
      results.push_back(std::move(result));
    }
    for (uint32_t i = 0; i < results.size(); ++i) {
      ASSERT_RESULT(std::vector<uint32_t> received, download(*results[i]));
      ASSERT_EQ(received, i % 2 ? Mix::of(a, b, i) : std::vector<uint32_t>(count, i)) << i;
    }
  });
}

TEST_P(Ordering, PartsOfOneBuffer) {
  // Copies and fills neighbouring words, then runs a kernel over all of them.
  ASSERT_RESULT(Mix mix, Mix::make(*device));
  std::vector<uint32_t> model = randomWords(count);
  ASSERT_RESULT(Ref<Buffer> buffer, upload(model));
  ASSERT_RESULT(Ref<Buffer> copy, device->allocate(count * 4));
  std::mt19937 random(1);
  for (uint32_t i = 0; i < 200; ++i) {
    uint64_t words = 1 + random() % 50, at = random() % (count - words), end = at + words;
    ASSERT_OK(queue->fill({buffer.get(), at * 4, words * 4}, i));
    std::fill_n(model.begin() + static_cast<ptrdiff_t>(at), words, i);
    if (i % 4 == 3) {
      ASSERT_OK(mix.dispatch(*queue, *buffer, *buffer, *buffer, count, 3, 20));
      model = Mix::of(model, model, 3, 20);
    }
    ASSERT_OK(queue->copy({copy.get(), 0, (count - end) * 4}, {buffer.get(), end * 4}));
    ASSERT_OK(
        queue->copy({buffer.get(), 0, (count - end) * 4}, {copy.get(), 0, (count - end) * 4}));
    std::vector<uint32_t> tail(model.begin() + static_cast<ptrdiff_t>(end), model.end());
    std::copy(tail.begin(), tail.end(), model.begin());
  }
  ASSERT_RESULT(std::vector<uint32_t> received, download(*buffer));
  EXPECT_EQ(received, model);
}

TEST_P(Ordering, MemoryThatNothingNames) {
  NEEDS(info().bufferAddresses, "buffer device addresses");
  ASSERT_RESULT(Ref<Kernel> follow, makeKernel(*device, "Follow", {}, 16));
  ASSERT_RESULT(Mix mix, Mix::make(*device));
  std::vector<Ref<Buffer>> targets;
  std::vector<std::vector<uint32_t>> models;
  std::vector<uint64_t> addresses;
  for (uint32_t i = 0; i < 3; ++i) {
    models.push_back(randomWords(count, i));
    ASSERT_RESULT(Ref<Buffer> target, upload(models.back()));
    addresses.push_back(target->deviceAddress());
    targets.push_back(std::move(target));
  }
  ASSERT_RESULT(Ref<Buffer> head, device->allocate(24));
  ASSERT_OK(queue->upload({head.get()}, bytesOf(addresses)));
  struct {
    uint64_t head;
    uint32_t buffers, count;
  } parameters{head->deviceAddress(), 3, count};
  const BufferUse uses[] = {{head.get(), executable::Access::Read}};
  Dispatch work;
  work.kernel = follow.get();
  work.groups = {(count + 63) / 64, 1, 1};
  work.pushConstants = std::as_bytes(std::span(&parameters, 1));
  work.uses = uses;
  work.touchesUnnamedMemory = true;
  for (uint32_t i = 0; i < 30; ++i) {
    // Other work names the memory that `follow` accesses by address: a kernel before it, a copy
    // after it.
    ASSERT_OK(mix.dispatch(*queue, *targets[0], *targets[1], *targets[2], count, i, 200));
    models[0] = Mix::of(models[1], models[2], i, 200);
    ASSERT_OK(queue->dispatch(work));
    for (std::vector<uint32_t> &model : models)
      for (uint32_t &word : model)
        word = word * 3 + 1;
    ASSERT_OK(queue->copy({targets[2].get(), 0, 400}, {targets[0].get(), 400, 400}));
    std::copy_n(models[0].begin() + 100, 100, models[2].begin());
    if (i % 5 == 0) {
      ASSERT_OK(queue->dispatch(work));
      for (std::vector<uint32_t> &model : models)
        for (uint32_t &word : model)
          word = word * 3 + 1;
    }
  }
  for (uint32_t i = 0; i < 3; ++i) {
    ASSERT_RESULT(std::vector<uint32_t> received, download(*targets[i]));
    EXPECT_EQ(received, models[i]) << "target " << i;
  }
}

TEST_P(Ordering, IndependentWorkKeepsItsResults) {
  // Runs many launches that may overlap, then one that needs the results of all.
  ASSERT_RESULT(Mix mix, Mix::make(*device));
  std::vector<uint32_t> a = randomWords(count);
  ASSERT_RESULT(Ref<Buffer> bufferA, upload(a));
  std::vector<Ref<Buffer>> results;
  std::vector<std::vector<uint32_t>> models;
  for (uint32_t i = 0; i < 64; ++i) {
    ASSERT_RESULT(Ref<Buffer> result, device->allocate(count * 4));
    ASSERT_OK(mix.dispatch(*queue, *result, *bufferA, *bufferA, count, i, i % 5 * 50));
    models.push_back(Mix::of(a, a, i, i % 5 * 50));
    results.push_back(std::move(result));
  }
  for (uint32_t stride = 1; stride < 64; stride *= 2)
    for (uint32_t i = 0; i < 64; i += 2 * stride) {
      ASSERT_OK(mix.dispatch(*queue, *results[i], *results[i], *results[i + stride], count));
      models[i] = Mix::of(models[i], models[i + stride]);
    }
  ASSERT_RESULT(std::vector<uint32_t> received, download(*results[0]));
  EXPECT_EQ(received, models[0]);
}

} // namespace pumice::hal::conformance
