//===- RandomLaunchTest.cpp - any executable, packed as the format says -----===//
// Launches random interfaces with random arguments. Compares what reaches the device with a model.
// The model reads the interface field by field and shares no code with Function.cpp.
//===-------------------------------------------------------------------------===//
#include "executable/test/Samples.h"
#include "runtime/hal/Executable.h"
#include "runtime/hal/testing/FakeDevice.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace pumice;
using namespace pumice::hal;
using namespace pumice::executable;

namespace {

/// The view that the test chose for a buffer argument.
struct ModelView {
  std::vector<int64_t> extents, strides;
  int64_t offset = 0;
};

struct Model {
  std::vector<hal::Argument> given;
  std::vector<ModelView> views;              // empty if the argument is a scalar
  std::vector<std::vector<uint8_t>> scalars; // empty if the argument is a buffer
  std::vector<Ref<Buffer>> buffers;

  uint64_t numberFor(const ParameterField &field) const {
    const hal::Argument &argument = given[field.argument];
    switch (field.source) {
    case FieldSource::BufferAddress:
      return argument.range.buffer->deviceAddress() + argument.range.offset;
    case FieldSource::BufferOffset:
      return static_cast<uint64_t>(views[field.argument].offset);
    case FieldSource::BufferExtent:
      return static_cast<uint64_t>(views[field.argument].extents[field.dimension]);
    case FieldSource::BufferStride:
      return static_cast<uint64_t>(views[field.argument].strides[field.dimension]);
    case FieldSource::BufferLength:
      return argument.range.bytes;
    default:
      ADD_FAILURE() << "unexpected source";
      return 0;
    }
  }
  std::vector<uint8_t> block(const Interface &interface) const {
    std::vector<uint8_t> bytes(interface.parameterBytes);
    for (const ParameterField &field : interface.fields) {
      std::vector<uint8_t> value;
      if (field.source == FieldSource::Scalar) {
        value = scalars[field.argument];
      } else {
        for (uint64_t n = numberFor(field), i = 0; i < 8; ++i)
          value.push_back(static_cast<uint8_t>(n >> (8 * i)));
      }
      value.resize(field.size);
      std::ranges::copy(value, bytes.begin() + field.offset);
    }
    return bytes;
  }
};

class Round {
public:
  explicit Round(std::mt19937 &random) : random(random) {}

  void run() {
    makeFile();
    auto written = write(file);
    ASSERT_TRUE(written.isOk()) << written.status().toString();
    auto loaded =
        hal::Executable::load(device, std::make_shared<const executable::Executable>(file));
    ASSERT_TRUE(loaded.isOk()) << loaded.status().toString();
    Ref<Function> function = (*loaded)->function("k").value();
    Ref<Queue> queue = device->createQueue().value();
    device->onDispatch = [&](const RecordedDispatch &made) { compare(made); };
    for (int launch = 0; launch < 3; ++launch) {
      makeArguments();
      Status status = function->launch(*queue, {}, model.given);
      ASSERT_TRUE(status.isOk()) << status.toString();
    }
    EXPECT_EQ(compared, 3);
  }

private:
  uint32_t below(uint32_t bound) { return static_cast<uint32_t>(random() % bound); }
  bool coin() { return below(2); }
  Interface &interface() { return file.variants[0].interfaces[0]; }
  EntryPoint &entry() { return file.entryPoints[0]; }

  executable::Argument argument() {
    constexpr std::pair<ElementType, uint32_t> types[] = {
        {ElementType::i8, 1},  {ElementType::f16, 2}, {ElementType::i32, 4},
        {ElementType::f32, 4}, {ElementType::i64, 8}, {ElementType::index, 8}};
    executable::Argument a;
    std::tie(a.element, a.elementBytes) = types[below(std::size(types))];
    a.kind = below(3) ? ArgumentKind::Buffer : ArgumentKind::Scalar;
    a.access = Access(below(4));
    if (a.kind == ArgumentKind::Scalar)
      return a;
    a.vectorWidth = 1u << below(3);
    a.alignment = 4u << below(3);
    for (uint32_t rank = below(4); rank > 0; --rank) {
      a.shape.push_back(coin() ? dynamic : below(6));
      a.strides.push_back(coin() ? dynamic : below(30));
    }
    a.offset = coin() ? dynamic : below(10);
    return a;
  }

  void field(FieldSource source, uint32_t argument, uint32_t dimension, uint32_t size) {
    end = (end + size - 1) / size * size;
    interface().fields.push_back({source, argument, dimension, end, size});
    end += size;
  }

  void makeFile() {
    file.entryPoints = {{.name = "k", .workgroupSize = {1, 1, 1}}};
    file.variants = {{.interfaces = {{.entryPoint = "k", .symbol = "k"}}, .code = emptyCode()}};
    for (uint32_t i = 0, count = below(24); i < count; ++i) {
      entry().arguments.push_back(argument());
      const executable::Argument &a = entry().arguments.back();
      if (a.kind == ArgumentKind::Scalar) {
        field(FieldSource::Scalar, i, 0, std::max(a.elementBytes, 4u));
        continue;
      }
      if (coin())
        field(FieldSource::BufferAddress, i, 0, 8);
      else
        interface().bindings.push_back({0, 50 - i, BindingSource::Argument, i});
      for (uint32_t d = 0; d < a.shape.size(); ++d)
        field(coin() ? FieldSource::BufferExtent : FieldSource::BufferStride, i, d,
              4 + 4 * below(2));
      if (coin())
        field(coin() ? FieldSource::BufferOffset : FieldSource::BufferLength, i, 0,
              4 + 4 * below(2));
    }
    std::ranges::shuffle(interface().fields, random);
    if (end == 0)
      return;
    interface().parameterBytes = (end + 3) / 4 * 4;
    interface().place = end > 256 ? ParameterPlace(2 + below(2)) : ParameterPlace(1 + below(3));
    if (interface().place == ParameterPlace::DescribedBuffer)
      interface().bindings.push_back({1, 0, BindingSource::Parameters, 0});
  }
  static std::vector<uint8_t> emptyCode() { return executable::test::emptySpirv({"k"}); }

  void makeArguments() {
    model = {};
    size_t count = entry().arguments.size();
    model.views.resize(count);
    model.scalars.resize(count);
    for (size_t i = 0; i < count; ++i) {
      const executable::Argument &a = entry().arguments[i];
      if (a.kind == ArgumentKind::Scalar) {
        bool index = a.element == ElementType::index;
        for (uint32_t b = 0; b < a.elementBytes; ++b)
          model.scalars[i].push_back(index && b >= 4 ? 0 : static_cast<uint8_t>(random()));
        model.given.push_back(hal::Argument::scalar(model.scalars[i].data(), a.elementBytes));
      } else {
        model.given.push_back(bufferArgument(a, model.views[i]));
      }
    }
  }

  /// Makes a view, and a buffer that ends with it or slightly after it.
  hal::Argument bufferArgument(const executable::Argument &a, ModelView &view) {
    bool empty = false;
    view.offset = a.offset == dynamic ? below(10) : a.offset;
    int64_t last = view.offset;
    for (size_t d = 0; d < a.shape.size(); ++d) {
      view.extents.push_back(a.shape[d] == dynamic ? below(6) : a.shape[d]);
      view.strides.push_back(a.strides[d] == dynamic ? below(30) : a.strides[d]);
      empty |= view.extents[d] == 0;
      last += (view.extents[d] - 1) * view.strides[d];
    }
    uint64_t needed = empty ? 0 : static_cast<uint64_t>(last + 1) * a.elementBytes * a.vectorWidth;
    uint64_t before = 16 * below(4);
    model.buffers.push_back(device->allocate(before + needed + 4).value());
    hal::Argument given = hal::Argument::buffer(model.buffers.back().get(), before);
    given.range.bytes = needed;
    given.shape = view.extents.data();
    given.strides = view.strides.data();
    given.rank = static_cast<uint32_t>(view.extents.size());
    given.offset = a.offset == dynamic ? view.offset : 0;
    return given;
  }

  void compare(const RecordedDispatch &made) {
    ++compared;
    const Interface &i = interface();
    const std::byte *block = made.pushConstants.data();
    size_t pushed = i.place == ParameterPlace::PushConstants ? i.parameterBytes : 0;
    if (i.place == ParameterPlace::AddressedBuffer) {
      uint64_t address;
      pushed = sizeof address;
      ASSERT_EQ(made.pushConstants.size(), pushed);
      std::memcpy(&address, block, sizeof address);
      block = reinterpret_cast<const std::byte *>(address);
    }
    ASSERT_EQ(made.pushConstants.size(), pushed);
    ASSERT_EQ(made.bindings.size(), i.bindings.size());
    std::map<const Buffer *, uint32_t> uses;
    for (size_t b = 0; b < i.bindings.size(); ++b) {
      if (i.bindings[b].source == BindingSource::Parameters) {
        block = made.bindings[b].buffer->hostPointer();
        continue;
      }
      const hal::Argument &given = model.given[i.bindings[b].argument];
      if (given.range.bytes == 0)
        continue;
      EXPECT_EQ(made.bindings[b].buffer, given.range.buffer);
      EXPECT_EQ(made.bindings[b].offset, given.range.offset);
      EXPECT_EQ(made.bindings[b].bytes, (given.range.bytes + 3) / 4 * 4);
    }
    std::vector<uint8_t> expected = model.block(i);
    if (!expected.empty())
      EXPECT_EQ(std::memcmp(block, expected.data(), expected.size()), 0);
    for (const BufferUse &use : made.uses)
      EXPECT_TRUE(uses.emplace(use.buffer, static_cast<uint32_t>(use.access)).second);
    for (size_t a = 0; a < model.given.size(); ++a) {
      const BufferRange &range = model.given[a].range;
      auto access = static_cast<uint32_t>(entry().arguments[a].access);
      if (range.buffer && range.bytes && access)
        EXPECT_EQ(uses[range.buffer] & access, access);
    }
  }

  std::mt19937 &random;
  Ref<FakeDevice> device = FakeDevice::make();
  executable::Executable file;
  uint32_t end = 0;
  Model model;
  int compared = 0;
};

} // namespace

TEST(RandomLaunch, ArrivesAsTheFormatSays) {
  uint32_t seed = std::random_device()();
  std::mt19937 random(seed);
  for (int round = 0; round < 500 && !::testing::Test::HasFailure(); ++round) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", round " + std::to_string(round));
    Round(random).run();
  }
}

/// Uses the generator of the executable format's tests. Launching any executable that can be loaded
/// must not crash.
TEST(RandomLaunch, AnyValidExecutable) {
  uint32_t seed = std::random_device()();
  std::mt19937 random(seed);
  SCOPED_TRACE("seed " + std::to_string(seed));
  DeviceInfo info = FakeDevice::defaultInfo();
  info.kinds = {VariantKind::Native, VariantKind::VulkanSpirv, VariantKind::OpenclSpirv,
                VariantKind::Msl};
  info.limits.maxWorkgroupMemoryBytes = info.limits.maxPushConstantBytes = 1 << 20;
  info.limits.maxWorkgroupSize = {64, 64, 64};
  info.limits.maxWorkgroupInvocations = 1 << 20;
  size_t loadedCount = 0, launched = 0;
  for (int round = 0; round < 400; ++round) {
    executable::Executable file = executable::test::random(static_cast<uint32_t>(random()));
    for (Variant &variant : file.variants) {
      variant.requirements = {.architecture = variant.requirements.architecture};
      info.architecture = variant.requirements.architecture;
      for (Interface &interface : variant.interfaces)
        interface.requiredSubgroupSize = interface.leastSubgroupSize = 0,
        interface.fullSubgroups = false;
    }
    Ref<FakeDevice> device = FakeDevice::make(info);
    auto loaded =
        hal::Executable::load(device, std::make_shared<const executable::Executable>(file));
    if (!loaded.isOk())
      continue;
    ++loadedCount;
    Ref<Queue> queue = device->createQueue().value();
    Ref<Buffer> buffer = device->allocate(1 << 16).value();
    for (const EntryPoint &entry : file.entryPoints) {
      FunctionOptions options;
      for (size_t d = 0; d < 3; ++d)
        options.workgroupSize[d] = entry.workgroupSize[d] ? 0 : 1;
      auto function = (*loaded)->function(entry.name, options);
      if (!function.isOk())
        continue;
      std::vector<hal::Argument> arguments;
      std::vector<uint8_t> zeros(1024);
      std::vector<std::vector<int64_t>> shapes; // 1 for each extent that the launch chooses
      for (const executable::Argument &a : entry.arguments) {
        arguments.push_back(
            a.kind == ArgumentKind::Scalar
                ? hal::Argument::scalar(zeros.data(), size_t{a.elementBytes} * a.vectorWidth)
                : hal::Argument::buffer(buffer.get()));
        shapes.push_back(a.shape);
        std::ranges::replace(shapes.back(), dynamic, 1);
        arguments.back().shape = shapes.back().empty() ? nullptr : shapes.back().data();
        arguments.back().rank = static_cast<uint32_t>(shapes.back().size());
      }
      PrintSink nowhere = [](std::string_view) {};
      launched += (*function)->launch(*queue, {.print = &nowhere}, arguments).isOk();
    }
  }
  EXPECT_GT(loadedCount, 20u);
  EXPECT_GT(launched, 20u);
}
