//===- TritonTextTest.cpp - reads and prints the TTIR of the wheel ----------===//
// tests/triton/ttir has the TTIR that Triton's wheel makes of tests/triton/kernels. Each module
// must be importable. A module of Triton 3.6.0 must also be printed as the same text, byte for
// byte.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/triton/TritonDialect.h"
#include "compiler/import/triton/Passes.h"
#include "compiler/import/triton/facts/IndexFacts.h"
#include "compiler/import/triton/testing/TritonTexts.h"

#include "mlir/Pass/PassManager.h"

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
    if (!file.isNewer)
      EXPECT_EQ(printed(**module, {.locations = file.hasLocations}), file.texts[i]);
  }
}

/// Checks that every printed form can be read again as the same module.
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

/// Checks what the lowering passes rely on: a kernel is one function, its control flow consists of
/// regions, and memory is accessed through pointers.
TEST_P(TritonText, BecomesOneStructuredFunction) {
  const TextFile &file = GetParam();
  for (size_t i = 0; i < file.texts.size(); ++i) {
    SCOPED_TRACE(file.name + ", module " + std::to_string(i));
    auto module = importer.import(file.texts[i]);
    ASSERT_TRUE(mlir::succeeded(module)) << importer.errors();
    mlir::PassManager passes((*module)->getContext());
    passes.addPass(createStructureTriton());
    passes.addPass(createInlineTritonCalls());
    passes.addPass(createLowerDescriptors());
    passes.addPass(createExpandPolls());
    ASSERT_TRUE(mlir::succeeded(passes.run(**module))) << importer.errors();
    EXPECT_EQ(llvm::range_size((*module)->getOps()), 1);
    (*module)->walk([&](mlir::Operation *op) {
      llvm::StringRef name = op->getName().getStringRef();
      EXPECT_FALSE(name.starts_with("cf.") || name == "tt.call") << name.str();
      for (mlir::Region &region : op->getRegions())
        EXPECT_TRUE(region.empty() || region.hasOneBlock()) << name.str();
      for (mlir::Type type : op->getResultTypes())
        EXPECT_TRUE(!type.isIndex() && !llvm::isa<TensorDescType>(type)) << name.str();
    });
    EXPECT_TRUE(mlir::succeeded(IndexFacts::of(**module)));
  }
}

INSTANTIATE_TEST_SUITE_P(Wheel, TritonText, testing::ValuesIn(textFiles()),
                         [](const auto &info) { return info.param.name; });

} // namespace
