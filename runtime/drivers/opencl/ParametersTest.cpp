//===- ParametersTest.cpp - arguments in a block, and changed code ----------===//
#include "runtime/drivers/opencl/Parameters.h"

#include "runtime/drivers/opencl/SubgroupSize.h"
#include "runtime/hal/conformance/kernels/Mix.cl.h"
#include "runtime/hal/conformance/kernels/Push32.cl.h"
#include "runtime/hal/conformance/kernels/Shared.cl.h"
#include "runtime/hal/conformance/kernels/Subgroups.cl.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace pumice;
using namespace pumice::opencl_driver;
using Kind = Parameter::Kind;

namespace {

template <size_t words> std::span<const uint8_t> bytesOf(const uint32_t (&code)[words]) {
  return {reinterpret_cast<const uint8_t *>(code), words * 4};
}

std::vector<Parameter> parametersOfCode(std::span<const uint8_t> code) {
  executable::SpirvModule module = executable::reflectSpirv(code).value();
  return parametersOf(module.entryPoints.at(0)).value();
}

std::vector<std::byte> blockOf(std::initializer_list<uint64_t> words) {
  std::vector<std::byte> block(words.size() * 8);
  std::memcpy(block.data(), std::data(words), block.size());
  return block;
}

} // namespace

TEST(OpenClParameters, OfKernels) {
  EXPECT_EQ(parametersOfCode(bytesOf(MixOpenCl)), (std::vector<Parameter>{{Kind::Address, 0, 8},
                                                                          {Kind::Address, 8, 8},
                                                                          {Kind::Address, 16, 8},
                                                                          {Kind::Value, 24, 4},
                                                                          {Kind::Value, 28, 4},
                                                                          {Kind::Value, 32, 4}}));
  // A struct is one argument.
  EXPECT_EQ(parametersOfCode(bytesOf(Push32OpenCl)),
            (std::vector<Parameter>{{Kind::Address, 0, 8}, {Kind::Value, 8, 128}}));
  std::vector<Parameter> shared = parametersOfCode(bytesOf(SharedOpenCl));
  EXPECT_EQ(shared, (std::vector<Parameter>{{Kind::Address, 0, 8}, {Kind::Workgroup, 8, 8}}));
  EXPECT_EQ(leastBlockBytes(shared), 8u);
}

TEST(OpenClParameters, OfATypeThatCannotBePassed) {
  executable::SpirvEntryPoint entry;
  entry.parameters.push_back({.name = "picture", .refused = "an image"});
  Status status = parametersOf(entry).status();
  EXPECT_EQ(status.code(), StatusCode::Unsupported);
  EXPECT_EQ(status.message(), "argument 0 'picture' is an image; kernels take addresses and "
                              "numbers");
}

TEST(OpenClParameters, WorkgroupMemory) {
  const std::vector<Parameter> parameters = {
      {Kind::Workgroup, 0, 8}, {Kind::Address, 8, 8}, {Kind::Workgroup, 16, 8}};
  using Sizes = std::vector<uint32_t>;
  EXPECT_EQ(*workgroupBytes(parameters, blockOf({0, 7, 64}), 100), (Sizes{64, 0, 36}));
  EXPECT_EQ(*workgroupBytes(parameters, blockOf({64, 7, 0}), 100), (Sizes{36, 0, 64}));
  EXPECT_EQ(*workgroupBytes(parameters, blockOf({0, 7, 0}), 100), (Sizes{100, 0, 100}));
  Status status = workgroupBytes(parameters, blockOf({0, 7, 128}), 100).status();
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_EQ(status.message(), "argument 2 begins at byte 128 of the launch's workgroup memory, "
                              "which has 100 bytes");
  const std::vector<Parameter> last = {{Kind::Value, 0, 8}, {Kind::Workgroup, 8, 8}};
  EXPECT_EQ(*workgroupBytes(last, blockOf({1}), 48), (Sizes{0, 48})); // not part of the block
  EXPECT_EQ(*workgroupBytes(last, blockOf({1}), 0), (Sizes{0, 4}));
}

TEST(OpenClSubgroupSize, IsAddedOnce) {
  std::vector<uint8_t> once = withSubgroupSize(bytesOf(SubgroupsOpenCl), "run", 16);
  EXPECT_GT(once.size(), sizeof SubgroupsOpenCl);
  EXPECT_TRUE(executable::reflectSpirv(once).isOk());
  std::vector<uint8_t> again = withSubgroupSize(once, "run", 32);
  ASSERT_EQ(again.size(), once.size()); // the size was replaced
  size_t changed = 0;
  for (size_t i = 0; i < once.size(); ++i)
    changed += once[i] != again[i];
  EXPECT_EQ(changed, 1u);
  EXPECT_EQ(withSubgroupSize(once, "other", 8), once);
}
