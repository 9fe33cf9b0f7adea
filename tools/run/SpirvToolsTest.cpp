//===- SpirvToolsTest.cpp - what spirv-val is asked of executables ----------===//
#include "tools/run/SpirvTools.h"

#include "runtime/hal/kernels/Saxpy.comp.h"

#include <gtest/gtest.h>

using namespace pumice;
using namespace pumice::run;

namespace {

/// A valid module, and `more` after it.
executable::Variant variant(const std::vector<uint32_t> &more = {}) {
  std::vector<uint32_t> words(std::begin(saxpySpirv), std::end(saxpySpirv));
  words.insert(words.end(), more.begin(), more.end());
  executable::Variant variant;
  auto *bytes = reinterpret_cast<const uint8_t *>(words.data());
  variant.code.assign(bytes, bytes + words.size() * 4);
  return variant;
}

TEST(ValidateVariants, TakesWhatIsValid) {
  executable::Executable contents;
  contents.variants = {variant(), variant()};
  Status status = validateVariants(contents);
  EXPECT_TRUE(status.isOk()) << status.message();
}

TEST(ValidateVariants, NamesTheVariantThatIsNot) {
  executable::Executable contents;
  contents.variants = {variant(), variant({1u << 16 | 253})}; // OpReturn outside of functions
  Status status = validateVariants(contents);
  EXPECT_EQ(status.code(), StatusCode::DataCorrupt);
  EXPECT_TRUE(status.message().starts_with("variants[1].code: spirv-val refuses the module: "))
      << status.message();
}

} // namespace
