//===- MslTest.cpp - converts SPIR-V to Metal's shading language ------------===//
#include "compiler/metal/Msl.h"
#include "compiler/metal/Matrices.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

using namespace pumice;

namespace {

std::vector<uint32_t> build(const char *ending, const std::string &source, const char *command) {
  std::string base = ::testing::TempDir() + "msl-" +
                     ::testing::UnitTest::GetInstance()->current_test_info()->name();
  std::ofstream(base + ending) << source;
  std::string line = command + (" " + base + ending) + " -o " + base + ".spv > /dev/null";
  if (std::system(line.c_str()) != 0)
    return {};
  std::ifstream file(base + ".spv", std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), {});
  std::vector<uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  return words;
}
std::vector<uint32_t> fromGlsl(const std::string &source) {
  return build(".comp", source, "glslangValidator -V --target-env vulkan1.2");
}

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

constexpr const char *scale = R"(#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer X { float x[]; };
layout(push_constant) uniform P { float factor; };
shared float partial[64];
void main() {
  partial[gl_LocalInvocationIndex] = x[gl_GlobalInvocationID.x];
  barrier();
  x[gl_GlobalInvocationID.x] = factor * partial[63 - gl_LocalInvocationIndex];
})";

TEST(Msl, TranslatesBuffersPushConstantsAndWorkgroupMemory) {
  Result<std::string> msl = metal::toMsl(fromGlsl(scale));
  ASSERT_TRUE(msl.isOk()) << msl.status().message();
  EXPECT_HAS(*msl, "kernel void");
  EXPECT_HAS(*msl, "threadgroup ");
  EXPECT_HAS(*msl, "partial[gl_LocalInvocationIndex] =");
  EXPECT_HAS(*msl, "threadgroup_barrier(mem_flags::mem_threadgroup)");
}

TEST(Msl, TranslatesBufferAddresses) {
  Result<std::string> msl = metal::toMsl(fromGlsl(R"(#version 450
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Floats { float at[]; };
layout(push_constant) uniform P { Floats x; };
void main() { x.at[gl_GlobalInvocationID.x] *= 2.0; })"));
  ASSERT_TRUE(msl.isOk()) << msl.status().message();
  EXPECT_HAS(*msl, "kernel void");
}

TEST(Msl, SubgroupOperationsDependOnTheVersion) {
  std::vector<uint32_t> spirv = fromGlsl(R"(#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer X { float x[]; };
void main() { x[gl_GlobalInvocationID.x] = subgroupAdd(x[gl_GlobalInvocationID.x]); })");
  Result<std::string> now = metal::toMsl(spirv);
  ASSERT_TRUE(now.isOk()) << now.status().message();
  EXPECT_HAS(*now, "simd_sum");
  metal::MslOptions old;
  old.versionMajor = 1;
  old.versionMinor = 2;
  Result<std::string> before = metal::toMsl(spirv, old);
  ASSERT_FALSE(before.isOk());
  EXPECT_EQ(before.status().code(), StatusCode::Unsupported);
  EXPECT_HAS(before.status().message(), "SPIRV-Cross cannot write MSL: Subgroups");
}

TEST(Msl, RefusesDoublesWithTheReason) {
  Result<std::string> msl = metal::toMsl(fromGlsl(R"(#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer X { double x[]; };
void main() { x[gl_GlobalInvocationID.x] *= 2.0lf; })"));
  ASSERT_FALSE(msl.isOk());
  EXPECT_EQ(msl.status().code(), StatusCode::Unsupported);
  EXPECT_HAS(msl.status().message(), "double");
}

TEST(Msl, NamesAMissingEntryPoint) {
  metal::MslOptions options;
  options.entryPoint = "softmax";
  Result<std::string> msl = metal::toMsl(fromGlsl(scale), options);
  ASSERT_FALSE(msl.isOk());
  EXPECT_EQ(msl.status().message(),
            "the module has no compute entry point 'softmax'; there are: main");
}

TEST(Msl, RejectsInvalidModules) {
  EXPECT_EQ(metal::toMsl({}).status().code(), StatusCode::DataCorrupt);
  std::vector<uint32_t> words(100, 7);
  EXPECT_EQ(metal::toMsl(words).status().message(), "the code is not a SPIR-V module");
  std::vector<uint32_t> cut = fromGlsl(scale);
  cut.resize(cut.size() / 2);
  EXPECT_FALSE(metal::toMsl(cut).isOk());
}

/// Returns a module with one function, whose body is `body`: type 5 is an 8×8 matrix of f32, and
/// value 9 an f32.
std::vector<uint32_t> withMatrices(std::initializer_list<std::vector<uint32_t>> body) {
  std::vector<uint32_t> words{0x07230203, 0x00010600, 0, 100, 0};
  auto add = [&](const std::vector<uint32_t> &instruction) {
    words.push_back(static_cast<uint32_t>(instruction.size()) << 16 | instruction[0]);
    words.insert(words.end(), instruction.begin() + 1, instruction.end());
  };
  add({17, 6022});               // OpCapability CooperativeMatrixKHR
  add({19, 1});                  // OpTypeVoid
  add({22, 2, 32});              // OpTypeFloat
  add({4456, 5, 2, 3, 4, 4, 6}); // OpTypeCooperativeMatrixKHR
  add({33, 7, 1});               // OpTypeFunction
  add({43, 2, 9, 0});            // OpConstant
  add({54, 1, 10, 0, 7});        // OpFunction
  add({248, 11});                // OpLabel
  for (const std::vector<uint32_t> &instruction : body)
    add(instruction);
  add({253}); // OpReturn
  add({56});  // OpFunctionEnd
  return words;
}
size_t count(const std::vector<uint32_t> &words, uint32_t opcode) {
  size_t result = 0;
  for (size_t at = 5; at < words.size(); at += words[at] >> 16)
    result += (words[at] & 0xffff) == opcode;
  return result;
}

TEST(MslMatrices, CompositionsBecomeCalls) {
  std::vector<uint32_t> module = withMatrices({{80, 5, 20, 9}, {80, 5, 21, 9}});
  EXPECT_TRUE(metal::usesMatrices(module));
  Result<std::vector<uint32_t>> changed = metal::callFilledMatrices(module);
  ASSERT_TRUE(changed.isOk()) << changed.status().message();
  EXPECT_EQ(count(*changed, 80), 0u);
  EXPECT_EQ(count(*changed, 54), 2u) << "one function fills all matrices of a type";
  for (uint32_t opcode : {57u, 59u, 61u}) // calls, variables and loads
    EXPECT_EQ(count(*changed, opcode), 2u) << opcode;
  EXPECT_GT((*changed)[3], module[3]);
}

TEST(MslMatrices, ArithmeticOnElementsIsRejected) {
  Result<std::vector<uint32_t>> changed =
      metal::callFilledMatrices(withMatrices({{80, 5, 20, 9}, {129, 5, 21, 20, 20}}));
  EXPECT_EQ(changed.status().code(), StatusCode::Unsupported);
  EXPECT_EQ(changed.status().message(), "Metal's matrices lack the operation 129 of SPIR-V");
}

TEST(MslMatrices, FunctionsGetTheirBodies) {
  std::string source = "void pumice_filled5(thread const simdgroup_half8x8& _1, half _2)\n{\n}\n"
                       "pumice_filled5(_3, half(0.0));\n";
  metal::defineFilledMatrices(source);
  EXPECT_EQ(source, "void pumice_filled5(thread simdgroup_half8x8& filled, half value)\n{\n"
                    "    filled = make_filled_simdgroup_matrix<half, 8, 8>(value);\n}\n"
                    "pumice_filled5(_3, half(0.0));\n");
}

} // namespace
