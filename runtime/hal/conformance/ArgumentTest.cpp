//===- ArgumentTest.cpp - launches of executables with every argument -------===//
// Each test runs in each way in which code receives arguments (docs/memory.md).
//===-------------------------------------------------------------------------===//
#include "runtime/hal/conformance/BlockProgram.h"
#include "support/testing/AlignedMemory.h"

#include <cstring>

namespace pumice::hal::conformance {

using executable::Access;
using executable::dynamic;
using executable::ElementType;
using executable::FieldSource;

struct Arguments : ConformanceTest {
  using Way = BlockProgram::Way;

  void forEachWay(const std::function<void(Way)> &test) {
    for (Way way : BlockProgram::ways) {
      if (!BlockProgram::canRun(way, info()))
        continue;
      SCOPED_TRACE(BlockProgram::toString(way));
      ASSERT_NO_FATAL_FAILURE(test(way));
    }
  }

  /// Launches once, and returns the block that the code received.
  Result<std::vector<uint32_t>> blockOf(const BlockProgram &program,
                                        std::span<const Argument> arguments) {
    PUMICE_TRY(Ref<Function> function, program.function(device));
    PUMICE_TRY(Ref<Buffer> result, upload(std::vector<uint32_t>(program.words(), 0xabababab)));
    PUMICE_RETURN_IF_ERROR(program.launch(*function, *queue, *result, arguments));
    return download(*result);
  }

  static executable::Argument scalarOf(ElementType element, uint32_t bytes, uint32_t width = 1) {
    executable::Argument argument;
    argument.name = executable::toString(element);
    argument.kind = executable::ArgumentKind::Scalar;
    argument.element = element;
    argument.elementBytes = bytes;
    argument.vectorWidth = width;
    return argument;
  }
};
PUMICE_CONFORMANCE_AREA(Arguments);

TEST_P(Arguments, ReadOnlyMemoryIsNotWritten) {
  NEEDS(limits().hostImportAlignment, "import of host memory");
  constexpr size_t bytes = 64 << 10;
  testing_support::AlignedMemory memory = testing_support::alignedMemory(bytes, bytes);
  ASSERT_RESULT(Ref<Buffer> lent, device->importHost(memory.get(), bytes));
  lent->forbidWrites();
  forEachWay([&](Way way) {
    BlockProgram program(way);
    ASSERT_RESULT(Ref<Function> function, program.function(device));
    EXPECT_TRUE(isError(program.launch(*function, *queue, *lent, {}), StatusCode::InvalidArgument,
                        {"'result'", "lent for reading only", "write"}));
  });
}

TEST_P(Arguments, EveryScalarType) {
  struct Case {
    ElementType element;
    uint32_t bytes, width, field;
  };
  const Case cases[] = {
      {ElementType::i1, 1, 1, 4},    {ElementType::i4, 1, 1, 4},  {ElementType::i8, 1, 1, 4},
      {ElementType::i16, 2, 1, 4},   {ElementType::i32, 4, 1, 4}, {ElementType::i64, 8, 1, 8},
      {ElementType::index, 8, 1, 8}, {ElementType::f8, 1, 1, 4},  {ElementType::bf16, 2, 1, 4},
      {ElementType::f16, 2, 1, 4},   {ElementType::f32, 4, 1, 4}, {ElementType::f64, 8, 1, 8},
      {ElementType::i16, 2, 2, 4},   {ElementType::f32, 4, 2, 8}, {ElementType::f32, 4, 4, 16}};
  forEachWay([&](Way way) {
    BlockProgram program(way);
    std::vector<std::vector<std::byte>> values;
    std::vector<Argument> arguments;
    std::vector<uint32_t> places;
    for (const Case &one : cases) {
      uint32_t number = program.add(scalarOf(one.element, one.bytes, one.width));
      places.push_back(program.add(FieldSource::Scalar, number, one.field));
      values.push_back(randomBytes(one.bytes * one.width, number + 1));
      arguments.push_back(Argument::scalar(values.back().data(), values.back().size()));
    }
    ASSERT_RESULT(std::vector<uint32_t> block, blockOf(program, arguments));
    EXPECT_EQ(block[0], program.words());
    for (size_t i = 0; i < std::size(cases); ++i) {
      std::vector<uint32_t> expected(cases[i].field / 4); // the higher words are zero
      std::memcpy(expected.data(), values[i].data(), values[i].size());
      if (cases[i].element == ElementType::i1)
        expected[0] = expected[0] != 0; // true if any bit is set
      for (size_t j = 0; j < expected.size(); ++j)
        EXPECT_EQ(block[places[i] + j], expected[j])
            << executable::toString(cases[i].element) << " x " << cases[i].width;
    }
  });
}

TEST_P(Arguments, IndicesOfBothWidths) {
  forEachWay([&](Way way) {
    BlockProgram program(way);
    uint32_t narrow = program.add(scalarOf(ElementType::index, 8));
    uint32_t wide = program.add(scalarOf(ElementType::index, 8));
    uint32_t narrowAt = program.add(FieldSource::Scalar, narrow, 4);
    uint32_t wideAt = program.add(FieldSource::Scalar, wide, 8);
    const uint32_t four = 0x87654321;
    const uint64_t eight = 0x12345678;
    const Argument both[][2] = {{Argument::scalar(four), Argument::scalar(four)},
                                {Argument::scalar(eight), Argument::scalar(eight)}};
    for (size_t i = 0; i < 2; ++i) {
      ASSERT_RESULT(std::vector<uint32_t> block, blockOf(program, both[i]));
      EXPECT_EQ(block[narrowAt], i ? eight : four);
      EXPECT_EQ(block[wideAt], i ? eight : four);
      EXPECT_EQ(block[wideAt + 1], i ? 0u : UINT32_MAX); // 4 bytes are read as a signed number
    }
    const uint64_t tooWide = uint64_t{1} << 32;
    const Argument arguments[] = {Argument::scalar(tooWide), Argument::scalar(tooWide)};
    EXPECT_TRUE(isError(blockOf(program, arguments), StatusCode::InvalidArgument,
                        {"argument 2", "4294967296"}));
  });
}

TEST_P(Arguments, ShapesStridesAndOffsets) {
  forEachWay([&](Way way) {
    BlockProgram program(way);
    executable::Argument matrix = wordsArgument("matrix");
    matrix.shape = {dynamic, 5, dynamic};
    matrix.strides = {dynamic, dynamic, 1};
    matrix.offset = dynamic;
    uint32_t number = program.add(matrix);
    uint32_t at = program.add(FieldSource::BufferOffset, number, 4);
    for (uint32_t d = 0; d < 3; ++d)
      program.add(FieldSource::BufferExtent, number, 4, d);
    for (uint32_t d = 0; d < 3; ++d)
      program.add(FieldSource::BufferStride, number, 4, d);
    uint32_t lengthAt = program.add(FieldSource::BufferLength, number, 8);
    ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(40000));
    const int64_t shape[] = {3, 5, 7}, strides[] = {1000, 20, 1};
    Argument argument = Argument::buffer(buffer.get());
    argument.rank = 3;
    argument.shape = shape;
    argument.offset = 11;
    auto blockWith = [&](const int64_t *given) {
      argument.strides = given;
      return blockOf(program, std::span(&argument, 1));
    };
    using Words = std::vector<uint32_t>;
    ASSERT_RESULT(Words block, blockWith(strides));
    EXPECT_EQ(Words(block.begin() + at, block.begin() + at + 7), (Words{11, 3, 5, 7, 1000, 20, 1}));
    EXPECT_EQ(block[lengthAt], 40000u);
    EXPECT_EQ(block[lengthAt + 1], 0u);
    ASSERT_RESULT(block, blockWith(nullptr)); // row-major
    EXPECT_EQ(Words(block.begin() + at, block.begin() + at + 7), (Words{11, 3, 5, 7, 35, 7, 1}));
  });
}

TEST_P(Arguments, OpenExtentsFollowTheRange) {
  forEachWay([&](Way way) {
    BlockProgram program(way);
    uint32_t number = program.add(wordsArgument("flat"));
    uint32_t extentAt = program.add(FieldSource::BufferExtent, number, 8);
    uint32_t lengthAt = program.add(FieldSource::BufferLength, number, 8);
    ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(4096));
    struct {
      uint64_t offset, bytes, extent, length;
    } cases[] = {{0, wholeBuffer, 1024, 4096},
                 {0, 10, 2, 10},
                 {1024, wholeBuffer, 768, 3072},
                 {4096, wholeBuffer, 0, 0}};
    for (const auto &one : cases) {
      Argument argument;
      argument.range = {buffer.get(), one.offset, one.bytes};
      ASSERT_RESULT(std::vector<uint32_t> block, blockOf(program, std::span(&argument, 1)));
      EXPECT_EQ(block[extentAt], one.extent);
      EXPECT_EQ(block[lengthAt], one.length);
    }
  });
}

TEST_P(Arguments, AddressesOfParts) {
  NEEDS(info().bufferAddresses, "buffer device addresses");
  for (Way way : {Way::PushAddress, Way::Addressed}) {
    BlockProgram program(way);
    uint32_t part = program.add(wordsArgument("part"));
    uint32_t partAt = program.add(FieldSource::BufferAddress, part, 8);
    ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(4096));
    for (uint64_t offset : {0, 4, 100}) {
      const Argument argument = Argument::buffer(buffer.get(), offset);
      ASSERT_RESULT(std::vector<uint32_t> block, blockOf(program, std::span(&argument, 1)));
      EXPECT_EQ(block[partAt] | uint64_t{block[partAt + 1]} << 32,
                buffer->deviceAddress() + offset);
    }
    // A launch need not give a buffer that the code never touches.
    BlockProgram without(way);
    without.add(wordsArgument("nothing", Access::None));
    const Argument argument;
    ASSERT_RESULT(std::vector<uint32_t> block, blockOf(without, std::span(&argument, 1)));
    EXPECT_EQ(block[0], without.words());
  }
}

TEST_P(Arguments, LargeBlocks) {
  forEachWay([&](Way way) {
    if (!BlockProgram::spills(way))
      return;
    BlockProgram program(way);
    std::vector<uint64_t> values;
    std::vector<Argument> arguments;
    values.reserve(1000);
    std::vector<uint32_t> places;
    for (uint32_t i = 0; i < 1000; ++i) {
      uint32_t number = program.add(scalarOf(ElementType::i64, 8));
      places.push_back(program.add(FieldSource::Scalar, number, 8));
      values.push_back(i * 0x123456789ull);
      arguments.push_back(Argument::scalar(values.back()));
    }
    ASSERT_RESULT(std::vector<uint32_t> block, blockOf(program, arguments));
    for (uint32_t i = 0; i < 1000; ++i)
      ASSERT_EQ(block[places[i]] | uint64_t{block[places[i] + 1]} << 32, values[i]);
  });
}

TEST_P(Arguments, BlocksInFlight) {
  // Makes hundreds of launches. Each has its own block, which must live until the launch has run.
  forEachWay([&](Way way) {
    BlockProgram program(way);
    uint32_t number = program.add(scalarOf(ElementType::i32, 4));
    uint32_t at = program.add(FieldSource::Scalar, number, 4);
    ASSERT_RESULT(Ref<Function> function, program.function(device));
    std::vector<Ref<Buffer>> results;
    for (uint32_t i = 0; i < 300; ++i) {
      ASSERT_RESULT(Ref<Buffer> result, device->allocate(program.words() * 4));
      uint32_t value = i * 5;
      const Argument argument = Argument::scalar(value);
      ASSERT_OK(program.launch(*function, *queue, *result, std::span(&argument, 1)));
      value = 1;
      results.push_back(std::move(result));
    }
    function = nullptr;
    for (uint32_t i = 0; i < results.size(); ++i) {
      ASSERT_RESULT(std::vector<uint32_t> block, download(*results[i]));
      ASSERT_EQ(block[at], i * 5);
    }
  });
}

TEST_P(Arguments, Refused) {
  NEEDS(hasDescriptors() || info().bufferAddresses, "descriptors, or buffer device addresses");
  BlockProgram program(hasDescriptors() ? Way::Push : Way::PushAddress);
  program.add(scalarOf(ElementType::f32, 4));
  executable::Argument aligned = wordsArgument("aligned");
  aligned.alignment = 16;
  aligned.shape = {dynamic};
  uint32_t number = program.add(aligned);
  program.add(FieldSource::BufferExtent, number, 4);
  ASSERT_RESULT(Ref<Function> function, program.function(device));
  ASSERT_RESULT(Ref<Buffer> result, device->allocate(128));
  ASSERT_RESULT(Ref<Buffer> buffer, device->allocate(4096));
  const float one = 1;
  const double two = 2;
  const int64_t shape[] = {2000}, shape2[] = {2, 2}, negative[] = {-1};
  auto launch = [&](const Argument &scalar, const Argument &words) {
    const Argument arguments[] = {scalar, words};
    return program.launch(*function, *queue, *result, arguments);
  };
  const Argument good = Argument::scalar(one), whole = Argument::buffer(buffer.get());
  using enum StatusCode;
  EXPECT_TRUE(launch(good, whole).isOk());
  EXPECT_TRUE(isError(program.launch(*function, *queue, *result, std::span(&good, 1)),
                      InvalidArgument, {"block", "4 arguments", "3"}));
  EXPECT_TRUE(isError(launch(Argument::scalar(two), whole), InvalidArgument,
                      {"argument 2", "'f32'", "4 bytes", "8"}));
  EXPECT_TRUE(isError(launch(whole, whole), InvalidArgument, {"argument 2", "scalar"}));
  EXPECT_TRUE(isError(launch(good, good), InvalidArgument, {"argument 3", "'aligned'", "buffer"}));
  EXPECT_TRUE(isError(launch(good, {}), InvalidArgument, {"argument 3", "needs a buffer"}));
  EXPECT_TRUE(isError(launch(good, Argument::buffer(buffer.get(), 4)), InvalidArgument,
                      {"argument 3", "byte 4", "16"}));
  EXPECT_TRUE(isError(launch(good, Argument::buffer(buffer.get(), 8192)), InvalidArgument,
                      {"argument 3", "8192", "4096"}));
  Argument shaped = whole;
  shaped.rank = 1;
  shaped.shape = shape;
  EXPECT_TRUE(isError(launch(good, shaped), InvalidArgument, {"argument 3", "8000", "4096"}));
  shaped.shape = negative;
  EXPECT_TRUE(isError(launch(good, shaped), InvalidArgument, {"argument 3", "-1"}));
  shaped.rank = 2;
  shaped.shape = shape2;
  EXPECT_TRUE(isError(launch(good, shaped), InvalidArgument, {"argument 3", "rank 1", "rank 2"}));
  shaped = whole;
  shaped.offset = 3;
  EXPECT_TRUE(isError(launch(good, shaped), InvalidArgument, {"argument 3", "offset", "3"}));

  ASSERT_RESULT(Ref<Device> other, openAnother());
  ASSERT_RESULT(Ref<Buffer> theirs, other->allocate(4096));
  ASSERT_RESULT(Ref<Queue> theirQueue, other->createQueue());
  EXPECT_TRUE(isError(launch(good, Argument::buffer(theirs.get())), InvalidArgument,
                      {"argument 3", "belongs to"}));
  const Argument arguments[] = {good, whole};
  EXPECT_TRUE(isError(program.launch(*function, *theirQueue, *result, arguments), InvalidArgument,
                      {"queue", "belongs to"}));
  EXPECT_TRUE(queue->finish().isOk());
}

} // namespace pumice::hal::conformance
