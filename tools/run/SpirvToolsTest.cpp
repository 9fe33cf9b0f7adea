//===- SpirvToolsTest.cpp - validation of executables by spirv-val ----------===//
#include "tools/run/SpirvTools.h"

#include "runtime/hal/kernels/Saxpy.comp.h"

#include <gtest/gtest.h>

using namespace pumice;
using namespace pumice::run;

namespace {

/// Returns a valid module with `more` after it.
executable::Variant variant(const std::vector<uint32_t> &more = {}) {
  std::vector<uint32_t> words(std::begin(saxpySpirv), std::end(saxpySpirv));
  words.insert(words.end(), more.begin(), more.end());
  executable::Variant variant;
  auto *bytes = reinterpret_cast<const uint8_t *>(words.data());
  variant.code.assign(bytes, bytes + words.size() * 4);
  return variant;
}

TEST(ValidateVariants, AcceptsValidVariants) {
  executable::Executable contents;
  contents.variants = {variant(), variant()};
  Status status = validateVariants(contents);
  EXPECT_TRUE(status.isOk()) << status.message();
}

TEST(ValidateVariants, NamesTheInvalidVariant) {
  executable::Executable contents;
  contents.variants = {variant(), variant({1u << 16 | 253})}; // OpReturn outside of functions
  Status status = validateVariants(contents);
  EXPECT_EQ(status.code(), StatusCode::DataCorrupt);
  EXPECT_TRUE(status.message().starts_with("variants[1].code: spirv-val rejects the module: "))
      << status.message();
}

TEST(Validate, TellsDamageFromBrokenRules) {
  auto judge = [](const executable::Variant &variant) {
    Result<executable::SpirvModule> module = executable::reflectSpirv(variant.code);
    EXPECT_TRUE(module.isOk());
    return validate(variant.code, *module).status().message();
  };
  std::string unknown = judge(variant({1u << 16 | 3999})); // no instruction has this number
  std::string misplaced = judge(variant({1u << 16 | 253}));
  EXPECT_TRUE(isDamage(unknown)) << unknown;
  EXPECT_TRUE(isDamage(misplaced)) << misplaced;
  for (const char *message :
       {"Operand '5[%5]' requires a previous definition", "Operand '3[%uint]' cannot be a type",
        "Illegal number of components (6815747) for TypeVector"})
    EXPECT_TRUE(isDamage(message)) << message; // ended Intel's runtime
  EXPECT_FALSE(isDamage("OpenCL.std printf: expected Format data type to be 8-bit int"));
}

TEST(ValidateVariants, RejectsDamagedCodeForOpenCl) {
  executable::Executable contents;
  contents.variants = {variant({1u << 16 | 253})};
  contents.variants[0].kind = executable::VariantKind::OpenclSpirv;
  EXPECT_EQ(validateVariants(contents).code(), StatusCode::DataCorrupt);
  contents.variants[0].code = variant({1u << 16 | 3999}).code;
  EXPECT_EQ(validateVariants(contents).code(), StatusCode::DataCorrupt);
  constexpr uint32_t opTypeEvent = 34, opConstantNull = 46, event = 4000;
  contents.variants[0].code =
      variant({2u << 16 | opTypeEvent, event, 4u << 16 | opConstantNull, event, event + 1, 0}).code;
  Status status = validateVariants(contents); // an operand too many, as LLVM's backend writes it
  EXPECT_TRUE(status.isOk()) << status.message();
}

/// Returns the module with this language in OpSource.
std::vector<uint8_t> withLanguage(uint32_t language) {
  std::vector<uint32_t> words(std::begin(saxpySpirv), std::end(saxpySpirv));
  constexpr uint32_t opSource = 3;
  bool found = false;
  for (size_t at = 5; at < words.size(); at += words[at] >> 16)
    if ((words[at] & 0xffff) == opSource) {
      words[at + 1] = language;
      found = true;
    }
  EXPECT_TRUE(found);
  auto *bytes = reinterpret_cast<const uint8_t *>(words.data());
  return {bytes, bytes + words.size() * 4};
}

TEST(ValidateVariants, AcceptsNewerLanguages) {
  executable::Executable contents;
  contents.variants = {variant()};
  for (uint32_t language : {7u, 12u, 4000u}) {
    contents.variants[0].code = withLanguage(language);
    Status status = validateVariants(contents);
    EXPECT_TRUE(status.isOk()) << language << ": " << status.message();
    EXPECT_TRUE(disassemble(contents.variants[0].code).isOk());
  }
}

} // namespace
