//===- FunctionTest.cpp - launches, checked and packed ----------------------===//
#include "runtime/hal/Function.h"

#include "executable/test/Samples.h"
#include "runtime/hal/Executable.h"
#include "runtime/hal/LaunchPlan.h"
#include "runtime/hal/testing/FakeDevice.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace pumice;
using namespace pumice::hal;
using executable::Access;
using executable::ArgumentKind;
using executable::BindingSource;
using executable::dynamic;
using executable::ElementType;
using executable::FieldSource;
using executable::ParameterPlace;

namespace {

/// A kernel with one entry point. Each test changes the kernel before loading it.
class FunctionTest : public ::testing::Test {
protected:
  FunctionTest() {
    file.entryPoints = {{.name = "k",
                         .arguments = {{.name = "x", .shape = {dynamic}, .strides = {1}},
                                       {.name = "n",
                                        .kind = ArgumentKind::Scalar,
                                        .element = ElementType::i32,
                                        .access = Access::Read}},
                         .workgroupSize = {64, 1, 1}}};
    file.variants = {{.interfaces = {{.entryPoint = "k",
                                      .symbol = "main",
                                      .place = ParameterPlace::PushConstants,
                                      .parameterBytes = 24,
                                      .fields = {{FieldSource::BufferAddress, 0, 0, 0, 8},
                                                 {FieldSource::BufferExtent, 0, 0, 8, 8},
                                                 {FieldSource::Scalar, 1, 0, 16, 4}}}},
                      .code = executable::test::emptySpirv({"main"})}};
  }

  executable::EntryPoint &entry() { return file.entryPoints[0]; }
  executable::Interface &interface() { return file.variants[0].interfaces[0]; }
  executable::Argument &x() { return entry().arguments[0]; }

  void load(const FunctionOptions &options = {}) {
    auto written = executable::write(file);
    ASSERT_TRUE(written.isOk()) << written.status().toString();
    auto shared = std::make_shared<const executable::Executable>(file);
    Result<Ref<Executable>> loaded = Executable::load(device, shared);
    ASSERT_TRUE(loaded.isOk()) << loaded.status().toString();
    executable = *loaded;
    Result<Ref<Function>> made = executable->function("", options);
    ASSERT_TRUE(made.isOk()) << made.status().toString();
    function = *made;
    queue = device->createQueue().value();
    buffer = device->allocate(400).value();
  }
  Status launch(std::vector<Argument> arguments, std::array<uint32_t, 3> groups = {1, 1, 1}) {
    return function->launch(*queue, {.groups = groups}, arguments);
  }
  /// Returns the error of a launch with the arguments `x` and 7.
  std::string refused(const Argument &x) {
    size_t before = device->dispatches.size();
    Status status = launch({x, Argument::scalar(7)});
    EXPECT_EQ(status.code(), StatusCode::InvalidArgument) << status.toString();
    EXPECT_EQ(device->dispatches.size(), before);
    return status.message();
  }
  template <typename T> T constant(size_t offset) {
    T value;
    const std::vector<std::byte> &block = device->last().pushConstants;
    EXPECT_LE(offset + sizeof value, block.size());
    std::memcpy(&value, block.data() + offset, sizeof value);
    return value;
  }

  executable::Executable file;
  Ref<FakeDevice> device = FakeDevice::make();
  Ref<Executable> executable;
  Ref<Function> function;
  Ref<Queue> queue;
  Ref<Buffer> buffer;
};

Argument shaped(Buffer *buffer, std::span<const int64_t> shape,
                std::span<const int64_t> strides = {}, int64_t offset = 0) {
  Argument argument = Argument::buffer(buffer);
  argument.shape = shape.empty() ? nullptr : shape.data();
  argument.strides = strides.empty() ? nullptr : strides.data();
  argument.rank = static_cast<uint32_t>(std::max(shape.size(), strides.size()));
  argument.offset = offset;
  return argument;
}

} // namespace

TEST_F(FunctionTest, PushConstants) {
  load();
  ASSERT_TRUE(launch({Argument::buffer(buffer.get(), 16), Argument::scalar(-7)}, {3, 2, 1}).isOk());
  const RecordedDispatch &made = device->last();
  EXPECT_EQ(made.groups, (std::array<uint32_t, 3>{3, 2, 1}));
  EXPECT_EQ(constant<uint64_t>(0), buffer->deviceAddress() + 16);
  EXPECT_EQ(constant<int64_t>(8), 96); // (400 - 16) / 4
  EXPECT_EQ(constant<int32_t>(16), -7);
  EXPECT_EQ(constant<uint32_t>(20), 0u);
  ASSERT_EQ(made.uses.size(), 1u);
  EXPECT_EQ(made.uses[0].buffer, buffer.get());
  EXPECT_EQ(made.uses[0].access, Access::ReadWrite);
  EXPECT_FALSE(made.touchesUnnamedMemory);
  EXPECT_EQ(function->entryPoint().name, "k");
  EXPECT_EQ(function->interface().symbol, "main");
}

TEST_F(FunctionTest, CountKindAndSize) {
  load();
  EXPECT_EQ(launch({}).message(), "k takes 2 arguments; 0 are given");
  int64_t wide = 1;
  EXPECT_EQ(launch({Argument::buffer(buffer.get()), Argument::scalar(wide)}).message(),
            "k: argument 1 'n': it takes 4 bytes (i32); 8 are given");
  EXPECT_EQ(launch({Argument::buffer(buffer.get()), Argument::buffer(buffer.get())}).message(),
            "k: argument 1 'n': expected a scalar (i32), got a buffer");
  EXPECT_EQ(refused(Argument::scalar(wide)),
            "k: argument 0 'x': expected a buffer of f32, got a scalar");
}

TEST_F(FunctionTest, Devices) {
  load();
  Ref<FakeDevice> other = FakeDevice::make();
  Ref<Buffer> foreign = other->allocate(400).value();
  EXPECT_EQ(refused(Argument::buffer(foreign.get())),
            "k: argument 0 'x': its buffer belongs to fake:0, but the kernel to fake:0");
  Ref<Queue> otherQueue = other->createQueue().value();
  int32_t one = 1;
  Argument arguments[] = {Argument::buffer(buffer.get()), Argument::scalar(one)};
  EXPECT_EQ(function->launch(*otherQueue, {}, arguments).message(),
            "k: the queue belongs to fake:0, the kernel to fake:0");
  device->lose("it hung");
  EXPECT_EQ(launch({arguments[0], arguments[1]}).code(), StatusCode::DeviceLost);
}

TEST_F(FunctionTest, RangesAndAlignment) {
  x().alignment = 16;
  load();
  EXPECT_EQ(refused(Argument::buffer(nullptr)),
            "k: argument 0 'x': it needs a buffer: the code's access to it is read-write");
  EXPECT_EQ(refused(Argument::buffer(buffer.get(), 8)),
            "k: argument 0 'x': it starts at byte 8 of its buffer; the code expects a multiple "
            "of 16");
  EXPECT_EQ(refused(Argument::buffer(buffer.get(), 416)),
            "k: argument 0 'x': the range (offset 416, 0 bytes) is not in the buffer of 400 bytes");
  Argument part = Argument::buffer(buffer.get(), 16);
  part.range.bytes = 400;
  EXPECT_EQ(refused(part), "k: argument 0 'x': the range (offset 16, 400 bytes) is not in the "
                           "buffer of 400 bytes");
  part.range.bytes = UINT64_MAX - 8;
  EXPECT_NE(refused(part).find("the buffer of 400 bytes"), std::string::npos);
}

TEST_F(FunctionTest, ViewsMustLieInside) {
  x().shape = {dynamic, dynamic};
  x().strides = {dynamic, 1};
  x().offset = dynamic;
  interface().fields[1] = {FieldSource::BufferStride, 0, 0, 8, 8};
  load();
  int64_t ten[] = {10, 10}, eleven[] = {10, 11}, strides[] = {20, 1}, five[] = {5, 10};
  EXPECT_TRUE(launch({shaped(buffer.get(), ten), Argument::scalar(1)}).isOk());
  EXPECT_EQ(constant<int64_t>(8), 10);
  EXPECT_TRUE(launch({shaped(buffer.get(), five, strides), Argument::scalar(1)}).isOk());
  EXPECT_EQ(constant<int64_t>(8), 20);
  EXPECT_TRUE(launch({shaped(buffer.get(), five, strides, 10), Argument::scalar(1)}).isOk());
  EXPECT_EQ(refused(shaped(buffer.get(), eleven)),
            "k: argument 0 'x': its elements reach 440 bytes, but its memory has 400");
  EXPECT_EQ(refused(shaped(buffer.get(), five, strides, 11)),
            "k: argument 0 'x': its elements reach 404 bytes, but its memory has 400");
  int64_t back[] = {-10, 1}, none[] = {0, 10}, huge[] = {INT64_MAX, INT64_MAX};
  EXPECT_EQ(refused(shaped(buffer.get(), five, back, 20)),
            "k: argument 0 'x': it reaches back to element -20, before the start of its memory");
  EXPECT_TRUE(launch({shaped(buffer.get(), five, back, 40), Argument::scalar(1)}).isOk());
  EXPECT_EQ(constant<int64_t>(8), -10);
  EXPECT_TRUE(launch({shaped(buffer.get(), none), Argument::scalar(1)}).isOk());
  EXPECT_EQ(refused(shaped(buffer.get(), huge)),
            "k: argument 0 'x': its extents, strides and offset reach further than 64 bits can "
            "count");
  EXPECT_EQ(refused(shaped(buffer.get(), huge, strides)),
            "k: argument 0 'x': its extents, strides and offset reach further than 64 bits can "
            "count");
}

TEST_F(FunctionTest, ShapesMustAgree) {
  x().shape = {dynamic, 8};
  x().strides = {8, 1};
  load();
  int64_t good[] = {12, 8}, bad[] = {12, 9}, negative[] = {-1, 8}, strides[] = {9, 1};
  EXPECT_TRUE(launch({shaped(buffer.get(), good), Argument::scalar(1)}).isOk());
  EXPECT_EQ(refused(Argument::buffer(buffer.get())),
            "k: argument 0 'x': its extent 0 is dynamic: pass its shape");
  EXPECT_EQ(refused(shaped(buffer.get(), bad)),
            "k: argument 0 'x': its extent 1 is 8 in the code; 9 is given");
  EXPECT_EQ(refused(shaped(buffer.get(), negative)), "k: argument 0 'x': its extent 0 is -1");
  EXPECT_EQ(refused(shaped(buffer.get(), good, strides)),
            "k: argument 0 'x': its stride 0 is 8 in the code; 9 is given");
  EXPECT_EQ(refused(shaped(buffer.get(), {good, 1})),
            "k: argument 0 'x': it has rank 2; a shape of rank 1 is given");
  EXPECT_EQ(refused(shaped(buffer.get(), good, {}, 4)),
            "k: argument 0 'x': its offset is 0 elements in the code; 4 is given");
}

TEST_F(FunctionTest, OpenFlatExtentsFollowTheRange) {
  x().offset = dynamic;
  load();
  Argument part = Argument::buffer(buffer.get(), 100);
  part.range.bytes = 43; // ten elements and three more bytes
  EXPECT_TRUE(launch({part, Argument::scalar(1)}).isOk());
  EXPECT_EQ(constant<int64_t>(8), 10);
  part.offset = 4;
  EXPECT_TRUE(launch({part, Argument::scalar(1)}).isOk());
  EXPECT_EQ(constant<int64_t>(8), 6);
  part.offset = 11;
  EXPECT_TRUE(launch({part, Argument::scalar(1)}).isOk());
  EXPECT_EQ(constant<int64_t>(8), 0);
  part.offset = -1;
  EXPECT_EQ(refused(part), "k: argument 0 'x': its offset is -1 elements");
}

TEST_F(FunctionTest, CountersOf32Bits) {
  x().shape = {dynamic, dynamic};
  x().strides = {dynamic, dynamic};
  interface().fields[1] = {FieldSource::BufferStride, 0, 0, 8, 4};
  load();
  int64_t none[] = {1, 1}, wide[] = {int64_t{1} << 32, 1}, negative[] = {-1, 1};
  EXPECT_EQ(refused(shaped(buffer.get(), none, wide)),
            "k: argument 0 'x': its stride is 4294967296; the code uses 32-bit indices: compile it "
            "with --index-bits 64");
  EXPECT_TRUE(launch({shaped(buffer.get(), none, negative), Argument::scalar(1)}).isOk());
  EXPECT_EQ(constant<int32_t>(8), -1);
}

TEST_F(FunctionTest, PlacesBeyond32Bits) {
  x().access = Access::None;
  x().shape = {dynamic, dynamic};
  x().strides = {dynamic, 1};
  x().element = ElementType::i8;
  x().elementBytes = 1;
  interface().fields[1] = {FieldSource::BufferStride, 0, 0, 8, 4};
  load();
  // Each extent fits 32 bits, but the index of the last element does not.
  int64_t large[] = {70000, 70000}, fits[] = {1 << 15, 1 << 16};
  EXPECT_EQ(
      refused(shaped(nullptr, large)),
      "k: argument 0 'x': its last element is 4899999999; the code uses 32-bit indices: compile "
      "it with --index-bits 64");
  EXPECT_TRUE(launch({shaped(nullptr, fits), Argument::scalar(1)}).isOk());
  interface().fields[1].size = 8;
  load();
  EXPECT_TRUE(launch({shaped(nullptr, large), Argument::scalar(1)}).isOk());
}

TEST_F(FunctionTest, PlacesBeyond32BitsOfCodeThatTakesNoExtents) {
  x().access = Access::None;
  x().shape = {dynamic, 70000}; // the code gets neither extents nor strides
  x().strides = {70000, 1};
  x().element = ElementType::i8;
  x().elementBytes = 1;
  std::erase_if(interface().fields, [](const executable::ParameterField &field) {
    return field.source == FieldSource::BufferExtent || field.source == FieldSource::BufferStride;
  });
  int64_t large[] = {70000, 70000};
  interface().indexBits = 32;
  load();
  EXPECT_EQ(
      refused(shaped(nullptr, large)),
      "k: argument 0 'x': its last element is 4899999999; the code uses 32-bit indices: compile "
      "it with --index-bits 64");
  for (uint32_t bits : {0, 64}) { // 0: the file does not state the width
    interface().indexBits = bits;
    load();
    EXPECT_TRUE(launch({shaped(nullptr, large), Argument::scalar(1)}).isOk()) << bits;
  }
}

TEST_F(FunctionTest, FlatBuffersBeyond32Bits) {
  x().access = Access::None;
  x().shape = {dynamic};
  x().strides = {1};
  int64_t most[] = {int64_t{1} << 31}, more[] = {(int64_t{1} << 31) + 1};
  std::erase_if(interface().fields, [](const executable::ParameterField &field) {
    return field.source == FieldSource::BufferExtent || field.source == FieldSource::BufferStride;
  });
  auto flat = [&](const int64_t *shape) {
    Argument argument = Argument::buffer(nullptr);
    argument.shape = shape;
    argument.rank = 1;
    return argument;
  };
  interface().indexBits = 32;
  load();
  EXPECT_TRUE(launch({flat(most), Argument::scalar(1)}).isOk());
  EXPECT_EQ(refused(flat(more)),
            "k: argument 0 'x': its last element is 2147483648; the code uses 32-bit indices: "
            "compile it with --index-bits 64");
}

TEST_F(FunctionTest, UnusedBuffersMayBeNull) {
  x().access = Access::None;
  interface().fields.push_back({FieldSource::BufferLength, 0, 0, 20, 4});
  load();
  EXPECT_TRUE(launch({Argument::buffer(nullptr), Argument::scalar(1)}).isOk());
  EXPECT_EQ(constant<uint64_t>(0), 0u);
  EXPECT_EQ(constant<uint32_t>(20), 0u);
  EXPECT_TRUE(device->last().uses.empty());
}

TEST_F(FunctionTest, IndexAndTruthScalars) {
  executable::Argument &n = entry().arguments[1];
  n.element = ElementType::index;
  n.elementBytes = 8;
  load();
  Argument a = Argument::buffer(buffer.get());
  EXPECT_TRUE(launch({a, Argument::scalar(uint32_t{9})}).isOk());
  EXPECT_EQ(constant<uint32_t>(16), 9u);
  EXPECT_TRUE(launch({a, Argument::scalar(int64_t{-9})}).isOk());
  EXPECT_EQ(constant<int32_t>(16), -9);
  EXPECT_EQ(launch({a, Argument::scalar(int64_t{1} << 31)}).message(),
            "k: argument 1 'n': it is 2147483648; the code uses 32-bit indices: compile it with "
            "--index-bits 64");
  EXPECT_EQ(launch({a, Argument::scalar(uint16_t{1})}).message(),
            "k: argument 1 'n': it takes 8 bytes (index); 2 are given");

  // If the code reads only the low halves of a vector's elements, each element is checked.
  interface().fields.back().size = 16;
  interface().parameterBytes = 32;
  interface().indexBits = 32;
  n.vectorWidth = 2;
  load();
  a = Argument::buffer(buffer.get());
  EXPECT_TRUE(launch({a, Argument::scalar(std::array<int64_t, 2>{-1, INT32_MAX})}).isOk());
  EXPECT_EQ(launch({a, Argument::scalar(std::array<int64_t, 2>{1, int64_t{1} << 31})}).message(),
            "k: argument 1 'n': element 1 is 2147483648; the code uses 32-bit indices: compile it "
            "with --index-bits 64");
  interface().indexBits = 64;
  load();
  a = Argument::buffer(buffer.get());
  EXPECT_TRUE(launch({a, Argument::scalar(std::array<int64_t, 2>{1, int64_t{1} << 32})}).isOk());
  EXPECT_EQ(constant<int64_t>(24), int64_t{1} << 32);
  n.vectorWidth = 1;
  interface().indexBits = 0;
  interface().fields.back().size = 4;
  interface().parameterBytes = 20;

  n.element = ElementType::i1;
  n.elementBytes = 1;
  load();
  a = Argument::buffer(buffer.get());
  // Any nonzero value means true. It becomes 1, because the code may test only the lowest bit.
  for (auto [given, is] : {std::pair(1u, 1u), {2u, 1u}, {256u, 1u}, {0u, 0u}}) {
    EXPECT_TRUE(launch({a, Argument::scalar(given)}).isOk());
    EXPECT_EQ(constant<uint32_t>(16), is) << given;
  }

  n.element = ElementType::f16;
  n.elementBytes = 2;
  n.vectorWidth = 2;
  load();
  a = Argument::buffer(buffer.get());
  EXPECT_TRUE(launch({a, Argument::scalar(uint32_t{0x3c004000})}).isOk());
  EXPECT_EQ(launch({a, Argument::scalar(uint16_t{1})}).message(),
            "k: argument 1 'n': it takes 4 bytes (2 x f16); 2 are given");
}

//===-------------------------------------------------------------------------===//
// Descriptors
//===-------------------------------------------------------------------------===//

TEST_F(FunctionTest, DescribedArguments) {
  interface().fields = {{FieldSource::BufferLength, 0, 0, 0, 4}, {FieldSource::Scalar, 1, 0, 4, 4}};
  interface().parameterBytes = 8;
  interface().bindings = {{0, 3, BindingSource::Argument, 0}};
  x().element = ElementType::i8;
  x().elementBytes = 1;
  load();
  Argument part = Argument::buffer(buffer.get(), 32);
  part.range.bytes = 5;
  EXPECT_TRUE(launch({part, Argument::scalar(1)}).isOk());
  ASSERT_EQ(device->last().bindings.size(), 1u);
  EXPECT_EQ(device->last().bindings[0].offset, 32u);
  EXPECT_EQ(device->last().bindings[0].bytes, 8u); // a multiple of a word
  EXPECT_EQ(constant<uint32_t>(0), 5u);
  EXPECT_EQ(static_cast<FakeKernel &>(*device->last().kernel).source.bindings[0],
            (BindingSlot{0, 3, false}));

  Ref<Buffer> odd = device->allocate(5).value();
  EXPECT_TRUE(launch({Argument::buffer(odd.get()), Argument::scalar(1)}).isOk());
  EXPECT_EQ(device->last().bindings[0].bytes, 5u); // the driver handles the bytes beyond

  EXPECT_EQ(
      refused(Argument::buffer(buffer.get(), 4)),
      "k: argument 0 'x': it starts at byte 4; descriptors of fake:0 start at multiples of 16 "
      "(minStorageBufferOffsetAlignment): pass the whole buffer and an offset in elements "
      "(imported memory counts from its page on: import it from an address that is such a "
      "multiple), or compile for buffer addresses");
  part.range.bytes = 0;
  EXPECT_TRUE(launch({part, Argument::scalar(1)}).isOk()); // binds another buffer
  EXPECT_NE(device->last().bindings[0].buffer, buffer.get());
  EXPECT_EQ(constant<uint32_t>(0), 0u);
}

TEST_F(FunctionTest, RangesOfDescriptorsAreLimited) {
  DeviceInfo info = FakeDevice::defaultInfo();
  info.limits.maxBindingBytes = 256;
  device = FakeDevice::make(info);
  interface().fields = {{FieldSource::Scalar, 1, 0, 0, 4}};
  interface().parameterBytes = 4;
  interface().bindings = {{0, 0, BindingSource::Argument, 0}};
  load();
  EXPECT_EQ(refused(Argument::buffer(buffer.get())),
            "k: argument 0 'x': it reaches 400 bytes, but a descriptor of fake:0 covers at most "
            "256 (maxStorageBufferRange): compile for buffer addresses");
  int64_t few[] = {64};
  EXPECT_TRUE(launch({shaped(buffer.get(), few), Argument::scalar(1)}).isOk());
  EXPECT_EQ(device->last().bindings[0].bytes, 256u);
}

TEST_F(FunctionTest, ABufferTwiceIsOneUse) {
  x().access = Access::Read;
  entry().arguments.push_back(x());
  entry().arguments[2].access = Access::Write;
  entry().touchesUnnamedMemory = true;
  load();
  Argument a = Argument::buffer(buffer.get());
  EXPECT_TRUE(launch({a, Argument::scalar(1), a}).isOk());
  ASSERT_EQ(device->last().uses.size(), 1u);
  EXPECT_EQ(device->last().uses[0].access, Access::ReadWrite);
  EXPECT_TRUE(device->last().touchesUnnamedMemory);
}

//===-------------------------------------------------------------------------===//
// Parameter blocks in memory
//===-------------------------------------------------------------------------===//

TEST_F(FunctionTest, AddressedBlocksLiveAsLongAsTheirWork) {
  interface().place = ParameterPlace::AddressedBuffer;
  device->holdQueues = true;
  load();
  std::vector<int32_t> seen;
  device->onDispatch = [&](const RecordedDispatch &made) {
    ASSERT_EQ(made.pushConstants.size(), 8u);
    uint64_t address;
    std::memcpy(&address, made.pushConstants.data(), 8);
    auto *block = reinterpret_cast<const std::byte *>(address);
    int32_t n;
    std::memcpy(&n, block + 16, 4);
    seen.push_back(n);
  };
  size_t before = device->allocations;
  for (int round = 0; round < 3; ++round) {
    for (int32_t i = 0; i < 10; ++i)
      ASSERT_TRUE(launch({Argument::buffer(buffer.get()), Argument::scalar(i)}).isOk());
    ASSERT_TRUE(queue->finish().isOk());
  }
  ASSERT_EQ(seen.size(), 30u);
  for (int32_t i = 0; i < 30; ++i)
    EXPECT_EQ(seen[static_cast<size_t>(i)], i % 10);
  EXPECT_EQ(device->allocations - before, 10u); // from the second round on, buffers are reused
}

TEST_F(FunctionTest, DescribedBlocks) {
  interface().place = ParameterPlace::DescribedBuffer;
  interface().bindings = {{0, 7, BindingSource::Parameters, 0}};
  load();
  int32_t seen = 0;
  device->onDispatch = [&](const RecordedDispatch &made) {
    ASSERT_EQ(made.bindings.size(), 1u);
    EXPECT_TRUE(made.pushConstants.empty());
    std::memcpy(&seen, made.bindings[0].buffer->hostPointer() + 16, 4);
  };
  ASSERT_TRUE(launch({Argument::buffer(buffer.get()), Argument::scalar(11)}).isOk());
  EXPECT_EQ(seen, 11);
  ASSERT_EQ(device->last().uses.size(), 2u);
  EXPECT_EQ(device->last().uses[1].access, Access::Read);
}

TEST_F(FunctionTest, NoMemoryForABlock) {
  interface().place = ParameterPlace::AddressedBuffer;
  load();
  device->allocationsFail = true;
  EXPECT_EQ(launch({Argument::buffer(buffer.get()), Argument::scalar(1)}).code(),
            StatusCode::ResourceExhausted);
  device->allocationsFail = false;
  EXPECT_TRUE(launch({Argument::buffer(buffer.get()), Argument::scalar(1)}).isOk());
}

TEST_F(FunctionTest, ManyArguments) {
  for (uint32_t i = 0; i < 40; ++i) {
    entry().arguments.push_back(entry().arguments[1]);
    interface().fields.push_back({FieldSource::Scalar, 2 + i, 0, 24 + 8 * i, 4});
  }
  interface().parameterBytes = 24 + 8 * 40;
  interface().place = ParameterPlace::DescribedBuffer;
  interface().bindings = {{0, 0, BindingSource::Parameters, 0}};
  load();
  std::vector<Argument> arguments = {Argument::buffer(buffer.get())};
  std::vector<int32_t> values(41);
  for (int32_t i = 0; i < 41; ++i) {
    values[static_cast<size_t>(i)] = 100 + i;
    arguments.push_back(Argument::scalar(values[static_cast<size_t>(i)]));
  }
  int32_t last = 0;
  device->onDispatch = [&](const RecordedDispatch &made) {
    std::memcpy(&last, made.bindings[0].buffer->hostPointer() + 24 + 8 * 39, 4);
  };
  ASSERT_TRUE(launch(arguments).isOk());
  EXPECT_EQ(last, 140);
}

//===-------------------------------------------------------------------------===//
// Printing
//===-------------------------------------------------------------------------===//

TEST_F(FunctionTest, Prints) {
  entry().printfs = {{0, "n is %d\n", {ElementType::i32}}};
  interface().fields[1] = {FieldSource::PrintfAddress, 0, 0, 8, 8};
  interface().fields.push_back({FieldSource::PrintfWords, 0, 0, 20, 4});
  interface().bindings = {{1, 0, BindingSource::Printf, 0}};
  device->holdQueues = true;
  load();
  device->onDispatch = [&](const RecordedDispatch &made) {
    uint64_t address;
    uint32_t count, n;
    std::memcpy(&address, made.pushConstants.data() + 8, 8);
    std::memcpy(&n, made.pushConstants.data() + 16, 4);
    std::memcpy(&count, made.pushConstants.data() + 20, 4);
    auto *words = reinterpret_cast<uint32_t *>(address);
    EXPECT_EQ(count, 25u);
    EXPECT_EQ(words[0], 0u);
    EXPECT_EQ(made.bindings[0].buffer->deviceAddress(), address);
    words[0] = 2;
    words[1] = 2 << 16;
    words[2] = n;
  };
  std::string text;
  {
    PrintSink sink = [&](std::string_view printed) { text += printed; };
    int32_t five = 5, six = 6;
    Argument arguments[] = {Argument::buffer(buffer.get()), Argument::scalar(five)};
    LaunchOptions options{.print = &sink, .printBytes = 103};
    ASSERT_TRUE(function->launch(*queue, options, arguments).isOk());
    arguments[1] = Argument::scalar(six);
    ASSERT_TRUE(function->launch(*queue, options, arguments).isOk());
    options.printBytes = 4;
    EXPECT_EQ(function->launch(*queue, options, arguments).message(),
              "printBytes is 4; a record needs at least 8");
    options.groups[1] = 0;
    options.printBytes = 100;
    ASSERT_TRUE(function->launch(*queue, options, arguments).isOk());
  } // destroys the sink itself, but not its copies
  function = nullptr;
  executable = nullptr;
  EXPECT_EQ(text, "");
  ASSERT_TRUE(queue->finish().isOk());
  EXPECT_EQ(text, "n is 5\nn is 6\n");
}

TEST_F(FunctionTest, FailedWorkPrintsNothing) {
  entry().printfs = {{0, "x\n", {}}};
  interface().fields[1] = {FieldSource::PrintfAddress, 0, 0, 8, 8};
  device->holdQueues = true;
  load();
  bool called = false;
  PrintSink sink = [&](std::string_view) { called = true; };
  int32_t five = 5;
  Argument arguments[] = {Argument::buffer(buffer.get()), Argument::scalar(five)};
  ASSERT_TRUE(function->launch(*queue, {.print = &sink}, arguments).isOk());
  static_cast<FakeQueue &>(*queue).fail(Status(StatusCode::DeviceLost, "it hung"));
  EXPECT_FALSE(called);
}

/// The kernel may write anything into the buffer.
TEST_F(FunctionTest, HostilePrinting) {
  entry().printfs = {{0, "%d", {ElementType::i32}}};
  interface().fields[1] = {FieldSource::PrintfAddress, 0, 0, 8, 8};
  load();
  device->onDispatch = [&](const RecordedDispatch &made) {
    uint64_t address;
    std::memcpy(&address, made.pushConstants.data() + 8, 8);
    std::memset(reinterpret_cast<void *>(address), 0xff, 64);
  };
  std::string text;
  PrintSink sink = [&](std::string_view printed) { text += printed; };
  int32_t five = 5;
  Argument arguments[] = {Argument::buffer(buffer.get()), Argument::scalar(five)};
  ASSERT_TRUE(function->launch(*queue, {.print = &sink, .printBytes = 64}, arguments).isOk());
  EXPECT_EQ(text,
            "[gpu.printf: output was lost: the kernel wrote 17179869184 bytes, the buffer has "
            "64; launch with one of 17179869184 or more (--print-bytes; print_bytes in C; "
            "set_printf_fifo_size in Triton)]\n");
}
