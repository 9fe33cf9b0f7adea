//===- SpirvToolsTest.cpp - what spirv-val is asked of executables ----------===//
#include "tools/run/SpirvTools.h"

#include <gtest/gtest.h>

using namespace pumice;
using namespace pumice::run;

namespace {

executable::Variant variantOf(const std::vector<uint32_t> &words) {
  executable::Variant variant;
  auto *bytes = reinterpret_cast<const uint8_t *>(words.data());
  variant.code.assign(bytes, bytes + words.size() * 4);
  return variant;
}

/// The capability Shader, the memory model, and an instruction or none.
std::vector<uint32_t> module(std::vector<uint32_t> more = {}) {
  std::vector<uint32_t> words{0x07230203, 0x10000, 0, 8, 0, 2u << 16 | 17, 1, 3u << 16 | 14, 0, 1};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(ValidateVariants, TakesWhatIsValid) {
  executable::Executable contents;
  contents.variants = {variantOf(module()), variantOf(module())};
  Status status = validateVariants(contents);
  EXPECT_TRUE(status.isOk()) << status.message();
}

TEST(ValidateVariants, NamesTheVariantThatIsNot) {
  executable::Executable contents;
  std::vector<uint32_t> pointerToNothing{4u << 16 | 32, 1, 7, 5}; // OpTypePointer to id 5
  contents.variants = {variantOf(module()), variantOf(module(pointerToNothing))};
  Status status = validateVariants(contents);
  EXPECT_EQ(status.code(), StatusCode::DataCorrupt);
  EXPECT_TRUE(status.message().starts_with("variants[1].code: spirv-val refuses the module: "))
      << status.message();
}

} // namespace
