//===- CppTest.cpp - pumice.hpp: what it adds to the C API ------------------===//
#include "include/pumice/pumice.hpp"

#include "runtime/c-api/test/Affine.comp.h"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <regex>
#include <sstream>

namespace {

#define ASSERT_FINE(result) ASSERT_TRUE(result) << (result).error().message

constexpr char printing[] = R"(
gpu.module @kernels {
  gpu.func @say(%v: vector<2xi32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %a = vector.extract %v[0] : i32 from vector<2xi32>
    %b = vector.extract %v[1] : i32 from vector<2xi32>
    gpu.printf "%d and %d\n", %a, %b : i32, i32
    gpu.return
  }
}
)";

class Cpp : public testing::Test {
protected:
  void SetUp() override {
    auto opened = pumice::Device::open();
    if (!opened)
      GTEST_SKIP() << opened.error().message;
    device = *opened;
    queue = device.createQueue().value();
  }
  /// Compiles `source` for the device. Skips the test if there is no compiler.
  void compile(const std::string &source) {
    pumice::CompileOptions options;
    options.devices = {device};
    auto compiled = pumice::compile(source, options);
    if (!compiled && compiled.error().code == PUMICE_UNSUPPORTED)
      GTEST_SKIP() << compiled.error().message;
    ASSERT_FINE(compiled);
    file = *compiled;
    executable = device.load(file.data(), file.size()).value();
  }
  void compileAffine() {
    compile(std::string(reinterpret_cast<const char *>(affineSpirv), sizeof affineSpirv));
  }
  pumice::Device device;
  pumice::Queue queue;
  std::string file;
  pumice::Executable executable;
};

/// Checks that every function of the C API can be called.
TEST(CppHeader, NamesEveryFunctionOfC) {
  auto read = [](const char *file) {
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  };
  std::string c = read(PUMICE_INCLUDES "/pumice.h"), cpp;
  for (const char *name : {"base", "devices", "buffers", "executables", "queues", "compile"})
    c += read((PUMICE_INCLUDES "/parts/" + std::string(name) + ".h").c_str());
  for (const char *name : {"/pumice.hpp", "/parts/base.hpp"})
    cpp += read((PUMICE_INCLUDES + std::string(name)).c_str());
  std::regex declared("PUMICE_API[^;]*?\\b(pumice_\\w+)\\(");
  size_t count = 0;
  for (auto it = std::sregex_iterator(c.begin(), c.end(), declared); it != std::sregex_iterator();
       ++it, ++count)
    EXPECT_TRUE(std::regex_search(cpp, std::regex("\\b" + (*it)[1].str() + "\\b"))) << (*it)[1];
  EXPECT_GT(count, 60u);
  EXPECT_TRUE(pumice::hasSameAbi());
  EXPECT_EQ(pumice::version(), std::to_string(PUMICE_VERSION / 10000) + "." +
                                   std::to_string(PUMICE_VERSION / 100 % 100) + "." +
                                   std::to_string(PUMICE_VERSION % 100));
}

TEST(CppFailure, AFailedValueEndsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH((void)pumice::Device::open("no such device").value(), "no such device");
}

TEST_F(Cpp, DevicesAreListed) {
  auto list = pumice::DeviceList::make();
  ASSERT_FINE(list);
  EXPECT_NE(list->failures(), nullptr);
  pumice::DeviceList copy = *list;
  list = pumice::Error::of(PUMICE_INTERNAL, "gone");
  size_t found = 0;
  for (const pumice_device_info &info : copy)
    found += std::string(info.id) == device.info().id;
  EXPECT_EQ(found, 1u);
  EXPECT_STRNE(copy[0].name, "");
  EXPECT_GE(copy.size(), 1u);
}

TEST_F(Cpp, TargetsOfDevicesAndByName) {
  auto target = device.target();
  ASSERT_FINE(target);
  EXPECT_EQ(target->front(), '{');
  compile(printing);
  if (IsSkipped())
    return;
  pumice::CompileOptions options;
  options.sourceName = "say.mlir";
  options.targets = {*target, "vulkan1.1"};
  options.addressing = PUMICE_ADDRESSING_DESCRIPTORS;
  std::string stages;
  options.stage = [&](std::string_view stage, std::string_view text) {
    stages += std::string(stage) + (text.find("func") == text.npos ? "? " : " ");
  };
  ASSERT_FINE(pumice::compile(printing, options));
  EXPECT_EQ(stages, "lanes gpu spirv lanes gpu spirv ");
  auto text = pumice::codeText(file);
  ASSERT_FINE(text);
  EXPECT_NE(text->find("OpEntryPoint"), std::string::npos);
  auto names = pumice::kernelNames(file);
  ASSERT_FINE(names);
  EXPECT_EQ(*names, std::vector<std::string>{"say"});
  EXPECT_FALSE(pumice::kernelNames("not a file"));

  std::string seen;
  options.diagnostics = [&](std::string_view said) { seen += said; };
  auto broken = pumice::compile("gpu.module @m {\n  %0 = arith.addi\n}\n", options);
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, PUMICE_INVALID_ARGUMENT);
  EXPECT_NE(seen.find("say.mlir:2"), std::string::npos) << seen;
}

TEST_F(Cpp, PrintsAndVectors) {
  compile(printing);
  if (IsSkipped())
    return;
  std::string said;
  auto sink = [&](std::string_view text) { said += text; };
  pumice::Function say = executable.function().value();
  ASSERT_FINE(queue.launch(say, pumice::printTo(sink, pumice_groups(1, 1, 1)),
                           {std::array<int32_t, 2>{3, -4}}));
  ASSERT_FINE(queue.finish());
  EXPECT_EQ(said, "3 and -4\n");
}

TEST_F(Cpp, OptionsAndReflection) {
  compileAffine();
  if (IsSkipped())
    return;
  ASSERT_EQ(executable.entryPointCount(), 1u);
  auto entry = executable.entryPoint(0);
  ASSERT_FINE(entry);
  ASSERT_EQ(entry->argument_count, 3u);
  EXPECT_EQ(executable.argument(0, 0).value().kind, uint32_t{PUMICE_ARGUMENT_BUFFER});
  EXPECT_FALSE(executable.argument(0, 3));
  EXPECT_FALSE(executable.entryPoint(1));

  pumice::FunctionOptions options;
  options.workgroupSize = {32, 0, 0};
  options.constants = {{5, 4, 3}};
  auto function = executable.function("main", options);
  ASSERT_FINE(function);
  pumice::Buffer x = device.createBuffer(256).value(), y = device.createBuffer(256).value();
  ASSERT_FINE(queue.fill(x, 0x0101, PUMICE_TO_END, 0, 2));
  ASSERT_FINE(queue.launch(*function, {2, 1, 1}, x, y, int32_t{1}));
  std::vector<int32_t> values(64);
  ASSERT_FINE(queue.download(values.data(), y, 256));
  ASSERT_FINE(queue.finish());
  EXPECT_EQ(values, std::vector<int32_t>(64, 3 * 0x01010101 + 1));
  EXPECT_EQ(x.memory(), PUMICE_MEMORY_DEVICE);
}

TEST_F(Cpp, ImportedMemoryIsGivenBack) {
  alignas(4096) static int32_t memory[1024];
  int released = 0;
  auto buffer = device.importHost(memory, sizeof memory, [&] { ++released; });
  if (!buffer && buffer.error().code == PUMICE_UNSUPPORTED)
    GTEST_SKIP() << buffer.error().message;
  ASSERT_FINE(buffer);
  EXPECT_EQ(buffer->memory(), PUMICE_MEMORY_IMPORTED);
  ASSERT_FINE(queue.fill(*buffer, 7));
  ASSERT_FINE(queue.finish());
  EXPECT_EQ(memory[1023], 7);
  EXPECT_EQ(released, 0);
  buffer = pumice::Error();
  queue = {};
  EXPECT_EQ(released, 1);
  EXPECT_FALSE(device.importHost(nullptr, 64, [&] { ++released; }));
  EXPECT_EQ(released, 1);
  EXPECT_TRUE(device.importHost(memory, sizeof memory));
}

template <typename T> void comeBack(pumice::Result<T> tensor, const pumice::Device &device) {
  ASSERT_FINE(tensor);
  EXPECT_EQ((*tensor)->tensor.strides[0], 3);
  auto back = device.importTensor(std::move(*tensor));
  ASSERT_FINE(back);
  EXPECT_EQ(back->bytes(), 24u);
}

TEST_F(Cpp, TensorsGoAndCome) {
  pumice::Buffer buffer = device.createBuffer(64, PUMICE_MEMORY_HOST).value();
  pumice::TensorLayout layout;
  layout.type = pumice::TensorLayout::typeOf<int32_t>();
  layout.shape = {2, 3};
  layout.byteOffset = 32;
  comeBack(buffer.toTensor(layout), device);
  comeBack(buffer.toUnversionedTensor(layout), device);
  // A tensor whose import fails still belongs to the caller, who must release it.
  pumice::Tensor tensor = buffer.toTensor(layout).value();
  tensor->version_major = 2;
  EXPECT_FALSE(device.importTensor(std::move(tensor)));
  EXPECT_TRUE(tensor);
  layout.strides = {1};
  EXPECT_FALSE(buffer.toTensor(layout));
  layout.strides = {1, 2};
  EXPECT_TRUE(buffer.toTensor(layout));
  static_assert(pumice::TensorLayout::typeOf<bool>().code == PUMICE_DL_BOOL);
  static_assert(pumice::TensorLayout::typeOf<double>().bits == 64);
  static_assert(pumice::TensorLayout::typeOf<uint16_t>().code == PUMICE_DL_UINT);
}

TEST_F(Cpp, CallbacksRunWhenTheWorkIsDone) {
  std::atomic<int> done{0};
  pumice::Buffer buffer = device.createBuffer(64).value();
  pumice::Timeline timeline = device.createTimeline().value();
  ASSERT_FINE(queue.wait(timeline, 1));
  ASSERT_FINE(queue.fill(buffer, 1));
  ASSERT_FINE(queue.onDone([&](const pumice::Status &how) { done = how ? 1 : 2; }));
  ASSERT_FINE(queue.flush());
  EXPECT_EQ(done, 0);
  ASSERT_FINE(timeline.signal(1));
  ASSERT_FINE(queue.finish());
  EXPECT_EQ(done, 1);
  EXPECT_FALSE(pumice::Queue().onDone([&](const pumice::Status &) { done = 3; }));
  EXPECT_EQ(done, 1);
}

TEST_F(Cpp, GraphsRunAgain) {
  pumice::Buffer from = device.createBuffer(64).value(), to = device.createBuffer(64).value();
  ASSERT_FINE(queue.beginCapture());
  ASSERT_FINE(queue.copy(to, from, 64));
  EXPECT_FALSE(queue.finish()) << "a capture has no end to wait for";
  pumice::Graph graph = queue.endCapture().value();
  EXPECT_EQ(graph.size(), 1u);
  EXPECT_FALSE(queue.replay(pumice::Graph()));
  for (uint32_t value : {3u, 4u}) {
    uint32_t words[16] = {};
    ASSERT_FINE(queue.fill(from, value));
    ASSERT_FINE(queue.replay(graph));
    ASSERT_FINE(queue.download(words, to, 64));
    ASSERT_FINE(queue.finish());
    EXPECT_EQ(words[15], value);
  }
  ASSERT_FINE(queue.beginCapture());
  ASSERT_FINE(queue.fill(from, 5));
  EXPECT_EQ(pumice_queue_end_capture(queue.get(), nullptr), PUMICE_OK); // drops it
  ASSERT_FINE(queue.finish());
}

TEST(Progress, NothingIsShownWithoutATerminal) {
  // Runs in a child process, whose standard error this process reads through a pipe.
  auto compileShown = [] {
    pumice_end_compilation(); // no compilation has begun
    pumice_show_progress(1);
    {
      pumice::ShownCompilation outer("outer", "a stage");
      pumice::ShownCompilation inner(nullptr, nullptr);
      const char *target = "rdna3";
      pumice_compile_options options = PUMICE_INIT(pumice_compile_options);
      options.targets = &target;
      options.target_count = 1;
      pumice_blob *blob = nullptr;
      (void)pumice_compile("", 0, &options, &blob);
    }
    pumice::showProgress(false);
    pumice_end_compilation(); // there are more ends than begins
    std::_Exit(3);
  };
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(compileShown(), testing::ExitedWithCode(3), "^$");
}

} // namespace
