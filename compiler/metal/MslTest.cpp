//===- MslTest.cpp - converts SPIR-V to Metal's shading language ------------===//
#include "compiler/metal/Msl.h"

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
  EXPECT_HAS(*msl, "threadgroup float partial[64]");
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

} // namespace
