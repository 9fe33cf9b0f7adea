//===- TritonTextTest.cpp - what the Triton wheel prints, read and printed --===//
// tests/triton/ttir holds what the wheel makes of tests/triton/kernels. Each module is imported and
// prints back as the same text, byte for byte.
//===-------------------------------------------------------------------------===//
#include "compiler/import/triton/testing/TritonTexts.h"

#include <gtest/gtest.h>

using namespace pumice::triton;

namespace {

class TritonText : public testing::TestWithParam<TextFile> {
protected:
  TextImporter importer;
};

TEST_P(TritonText, PrintsAsItWasRead) {
  const TextFile &file = GetParam();
  ASSERT_FALSE(file.texts.empty());
  for (size_t i = 0; i < file.texts.size(); ++i) {
    SCOPED_TRACE(file.name + ", module " + std::to_string(i));
    auto module = importer.import(file.texts[i]);
    ASSERT_TRUE(mlir::succeeded(module)) << importer.errors();
    EXPECT_EQ(printed(**module, {.locations = file.hasLocations}), file.texts[i]);
  }
}

/// Each form that it prints is read again as the same module.
TEST_P(TritonText, EveryFormIsReadAgain) {
  const TextFile &file = GetParam();
  for (size_t i = 0; i < file.texts.size(); ++i) {
    SCOPED_TRACE(file.name + ", module " + std::to_string(i));
    auto module = importer.import(file.texts[i]);
    ASSERT_TRUE(mlir::succeeded(module)) << importer.errors();
    for (PrintForm form : {PrintForm{.locations = false}, PrintForm{.locations = true},
                           PrintForm{.locations = true, .generic = true}}) {
      std::string text = printed(**module, form);
      auto again = importer.import(text);
      ASSERT_TRUE(mlir::succeeded(again)) << importer.errors() << text;
      EXPECT_EQ(printed(**again, form), text);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Wheel, TritonText, testing::ValuesIn(textFiles()),
                         [](const auto &info) { return info.param.name; });

} // namespace
