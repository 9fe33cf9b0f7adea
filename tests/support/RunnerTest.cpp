//===- RunnerTest.cpp - executables through the test runner, on lavapipe -----===//
// The same kernel behind every way that an interface can pass its arguments. The interfaces are
// written by hand here: what the compiler packages is checked where it is written.
//===-------------------------------------------------------------------------===//
#include "tests/support/Runner.h"
#include "executable/Executable.h"
#include "tests/support/Extract.h"
#include "tests/support/Files.h"

#include "llvm/Support/FileSystem.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

using namespace pumice;
using namespace pumice::executable;
using namespace pumice::tests;

namespace {

std::string scratch(const std::string &name) {
  return ::testing::TempDir() + "runner-" +
         ::testing::UnitTest::GetInstance()->current_test_info()->name() + name;
}

std::vector<uint8_t> compileGlsl(const std::string &source) {
  std::string base = scratch("");
  std::ofstream(base + ".comp") << source;
  std::string command = "glslangValidator -V --target-env vulkan1.2 " + base + ".comp -o " + base +
                        ".spv > /dev/null";
  if (std::system(command.c_str()) != 0)
    return {};
  Result<std::vector<uint8_t>> bytes = readFile(base + ".spv");
  return bytes.isOk() ? *bytes : std::vector<uint8_t>();
}

/// y[row * stride + offset] = scale * x[row], for `rows` rows: x is memref<?xf32>, y is
/// memref<?x4xf32, strided<[?, 1], offset: ?>>.
constexpr const char *body = R"(
  uint row = gl_GlobalInvocationID.x;
  if (row < rows)
    Y[row * stride + offset] = scale * X[row];
})";

const std::string descriptors = std::string(R"(#version 450
layout(local_size_x_id = 7) in;
layout(set = 0, binding = 0) buffer BX { float X[]; };
layout(set = 0, binding = 1) buffer BY { float Y[]; };
layout(set = 1, binding = 0) buffer P { uint rows, stride, offset; float scale; };
void main() {)") + body;

const std::string addresses = std::string(R"(#version 450
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 4) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Floats { float at[]; };
layout(push_constant) uniform P { Floats px, py; uint rows, stride, offset; float scale; };
#define X px.at
#define Y py.at
void main() {)") + body;

const std::string spilled = std::string(R"(#version 450
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 4) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Floats { float at[]; };
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Block {
  Floats px, py; uint rows, stride, offset; float scale;
};
layout(push_constant) uniform P { Block block; };
#define X block.px.at
#define Y block.py.at
#define rows block.rows
#define stride block.stride
#define offset block.offset
#define scale block.scale
void main() {)") + body;

class RunnerTest : public ::testing::Test {
protected:
  void SetUp() override {
    if (!llvm::sys::fs::exists("/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"))
      GTEST_SKIP() << "lavapipe is not installed (package mesa-vulkan-drivers)";
    Result<std::unique_ptr<vulkan::BareDevice>> opened = vulkan::BareDevice::open();
    ASSERT_TRUE(opened.isOk()) << opened.status().message();
    device = std::move(*opened);
  }

  Executable contents() {
    Executable made;
    made.producer = "test";
    EntryPoint entry;
    entry.name = "spread";
    Argument x, y, scale;
    x.name = "x";
    x.shape = {dynamic};
    x.strides = {1};
    y.name = "y";
    y.shape = {dynamic, 4};
    y.strides = {dynamic, 1};
    y.offset = dynamic;
    scale.name = "scale";
    scale.kind = ArgumentKind::Scalar;
    entry.arguments = {x, y, scale};
    entry.workgroupSize = {4, 1, 1};
    made.entryPoints.push_back(entry);
    return made;
  }

  /// The scalar fields start at `at`: rows, stride, offset, scale.
  void addScalars(Interface &interface, uint32_t at) {
    interface.fields.push_back({FieldSource::BufferExtent, 0, 0, at, 4});
    interface.fields.push_back({FieldSource::BufferStride, 1, 0, at + 4, 4});
    interface.fields.push_back({FieldSource::BufferOffset, 1, 0, at + 8, 4});
    interface.fields.push_back({FieldSource::Scalar, 2, 0, at + 12, 4});
    interface.parameterBytes = at + 16;
  }

  Variant variant(const std::string &source, Interface interface) {
    interface.entryPoint = "spread";
    interface.symbol = "main";
    Variant made;
    made.target = "test";
    made.code = compileGlsl(source);
    made.interfaces = {interface};
    return made;
  }

  std::string save(const Executable &made) {
    Result<std::vector<uint8_t>> bytes = executable::write(made);
    EXPECT_TRUE(bytes.isOk()) << bytes.status().message();
    std::string name = scratch(".pumice");
    if (bytes.isOk())
      EXPECT_TRUE(writeFile(name, bytes->data(), bytes->size()).isOk());
    return name;
  }

  Status run(const std::string &file, const std::string &arguments) {
    std::string text = R"({"executable": ")" + file +
                       R"(", "groups": [1], "workgroup_size": [4, 1, 1],
      "buffers": {"x": {"data": [1, 2, 3]},
                  "y": {"count": 12, "shape": [3, 4], "expect": [0, 2, 0, 0, 0, 4, 0, 0, 0, 6, 0, 0]}},
      "arguments": )" + arguments +
                       "}";
    Result<std::vector<Case>> cases = parseRunFile(text, "");
    if (!cases.isOk())
      return cases.status();
    std::string printed;
    return Runner(*device).run(cases->at(0), printed);
  }

  std::unique_ptr<vulkan::BareDevice> device;
  const std::string arguments = R"(["x", {"buffer": "y", "offset": 1}, 2])";
};

TEST_F(RunnerTest, DescriptorsAndADescribedBlock) {
  Executable made = contents();
  made.entryPoints[0].workgroupSize = {0, 1, 1};
  Interface interface;
  interface.place = ParameterPlace::DescribedBuffer;
  addScalars(interface, 0);
  interface.bindings = {{0, 0, BindingSource::Argument, 0},
                        {0, 1, BindingSource::Argument, 1},
                        {1, 0, BindingSource::Parameters, 0}};
  interface.workgroupSizeSpecIds[0] = 7;
  made.variants.push_back(variant(descriptors, interface));
  Status status = run(save(made), arguments);
  EXPECT_TRUE(status.isOk()) << status.message();
}

Interface addressed(ParameterPlace place) {
  Interface interface;
  interface.place = place;
  interface.fields = {{FieldSource::BufferAddress, 0, 0, 0, 8},
                      {FieldSource::BufferAddress, 1, 0, 8, 8}};
  return interface;
}

TEST_F(RunnerTest, AddressesInPushConstants) {
  Executable made = contents();
  Interface interface = addressed(ParameterPlace::PushConstants);
  addScalars(interface, 16);
  made.variants.push_back(variant(addresses, interface));
  Status status = run(save(made), arguments);
  EXPECT_TRUE(status.isOk()) << status.message();
}

TEST_F(RunnerTest, AddressesInABlockOfTheirOwn) {
  Executable made = contents();
  Interface interface = addressed(ParameterPlace::AddressedBuffer);
  addScalars(interface, 16);
  made.variants.push_back(variant(spilled, interface));
  Status status = run(save(made), arguments);
  EXPECT_TRUE(status.isOk()) << status.message();
}

TEST_F(RunnerTest, ArgumentsThatDoNotFitAreNamed) {
  Executable made = contents();
  Interface interface = addressed(ParameterPlace::PushConstants);
  addScalars(interface, 16);
  made.variants.push_back(variant(addresses, interface));
  std::string file = save(made);
  EXPECT_EQ(run(file, R"(["x"])").message(), "spread takes 3 arguments, 1 are given");
  EXPECT_EQ(run(file, R"(["x", "z", 2])").message(), "there is no buffer 'z'");
  EXPECT_EQ(run(file, R"(["x", 3, 2])").message(), "field 1: argument 1 has to be a buffer");
  EXPECT_EQ(run(file, R"(["x", "y", "x"])").message(), "field 5: argument 2 has to be a scalar");
  EXPECT_NE(run(file, R"(["x", "y", 2])").message().find("buffer y: element"), std::string::npos);
}

TEST_F(RunnerTest, VariantsBecomeFiles) {
  Executable made = contents();
  Interface interface = addressed(ParameterPlace::PushConstants);
  addScalars(interface, 16);
  made.variants.push_back(variant(addresses, interface));
  std::string folder = scratch(".variants");
  Status extracted = extractVariants(save(made), folder);
  ASSERT_TRUE(extracted.isOk()) << extracted.message();
  Result<std::vector<uint8_t>> code = readFile(folder + "/0.spv");
  ASSERT_TRUE(code.isOk());
  EXPECT_EQ(*code, made.variants[0].code);
  Result<std::vector<uint8_t>> list = readFile(folder + "/variants.json");
  ASSERT_TRUE(list.isOk());
  std::string text(list->begin(), list->end());
  EXPECT_NE(text.find(R"("kind": "vulkan-spirv")"), std::string::npos) << text;
  EXPECT_FALSE(extractVariants("/nowhere", folder).isOk());
}

} // namespace

int main(int argc, char **argv) {
  // Before the loader is opened: it reads them once.
  setenv("VK_DRIVER_FILES", "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json", 1);
  setenv("VK_ICD_FILENAMES", "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json", 1);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
