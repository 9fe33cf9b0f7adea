//===- HostileTritonTest.cpp - imports damaged TTIR -------------------------===//
// Truncates modules that Triton's wheel made, and changes bytes, words and lines at random. An
// imported module must pass the verifier, print as text that can be imported again, and survive the
// first passes. For any other module, the importer must report an error.
//===-------------------------------------------------------------------------===//
#include "compiler/import/triton/Passes.h"
#include "compiler/import/triton/facts/IndexFacts.h"
#include "compiler/import/triton/testing/TritonTexts.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <random>

using namespace pumice::triton;

namespace {

class HostileTriton : public testing::Test {
protected:
  /// Returns whether `text` is a module.
  bool import(const std::string &text) {
    auto module = importer.import(text);
    if (mlir::failed(module)) {
      EXPECT_NE(importer.errors(), "") << text;
      return false;
    }
    EXPECT_TRUE(mlir::succeeded(mlir::verify(**module))) << importer.errors();
    std::string again = printed(**module, {.locations = true});
    EXPECT_TRUE(mlir::succeeded(importer.import(again))) << importer.errors() << again;
    prepare(**module);
    return true;
  }

  /// A pass may reject the module with an error. Otherwise, the module must pass the verifier
  /// afterwards.
  void prepare(mlir::ModuleOp module) {
    mlir::PassManager passes(module.getContext());
    passes.addPass(createStructureTriton());
    passes.addPass(createInlineTritonCalls());
    passes.addPass(createLowerDescriptors());
    passes.addPass(createExpandPolls());
    importer.clear();
    if (mlir::failed(passes.run(module)))
      EXPECT_NE(importer.errors(), "");
    else
      EXPECT_TRUE(mlir::succeeded(IndexFacts::of(module)));
    EXPECT_EQ(importer.errors().find(" op "), std::string::npos)
        << importer.errors(); // such an error comes from a verifier
  }

  TextImporter importer;
};

/// Returns small modules, so that a random change is likely to affect any operation.
std::vector<std::string> corpus() {
  std::vector<std::string> texts;
  for (const TextFile &file : textFiles())
    for (const std::string &text : file.texts)
      if (text.size() < 6000)
        texts.push_back(text);
  return texts;
}

TEST_F(HostileTriton, Truncated) {
  std::mt19937 random(1);
  for (const std::string &text : corpus())
    for (int i = 0; i < 12; ++i)
      import(text.substr(0, random() % text.size()));
}

std::string word(const std::string &text, std::mt19937 &random) {
  size_t start = text.find_last_of(" \n", random() % text.size());
  start = start == std::string::npos ? 0 : start + 1;
  return text.substr(start, text.find_first_of(" \n", start) - start);
}

/// Words that are unexpected in most places.
const char *const strange[] = {
    "-1",    "0",      "4294967296", "99999999999999999999",  "tensor<?xf32>", "tensor<*xf32>",
    "index", "none",   "!tt.ptr<",   "!tt.ptr<!tt.ptr<f32>>", "tensor<3xi32>", "tensor<0xf32>",
    "i7",    "()",     "{}",         "loc(unknown)",          "vector<4xf32>", "memref<4xf32>",
    "^bb7",  "dense<", "@nobody",    "array<i32: 9, 9>",      "\"\\",          "\xff\xfe",
    "i128",  "f80",    "tuple<>",    "tensor<f32>",           "complex<f32>",  "(i32) -> i32"};

TEST_F(HostileTriton, Changed) {
  constexpr uint32_t seeds = 60;
  std::vector<std::string> texts = corpus();
  size_t good = 0;
  for (size_t number = 0; number < texts.size(); ++number)
    for (uint32_t seed = 0; seed < seeds; ++seed) {
      std::mt19937 random(static_cast<uint32_t>(number) * seeds + seed);
      std::string changed = texts[number];
      SCOPED_TRACE("module " + std::to_string(number) + ", seed " + std::to_string(seed));
      for (uint32_t count = random() % 3 + 1; count > 0; --count) {
        std::string from = word(changed, random),
                    other = word(texts[random() % texts.size()], random);
        size_t place = random() % changed.size();
        switch (random() % 6) {
        case 0:
          changed[place] = static_cast<char>(random());
          break;
        case 1:
          changed.erase(place, random() % 8);
          break;
        case 2:
          changed.insert(place, other);
          break;
        case 3:
          changed.replace(changed.find(from), from.size(), other);
          break;
        case 4:
          changed.replace(changed.find(from), from.size(), strange[random() % std::size(strange)]);
          break;
        default:
          if (size_t digit = changed.find_first_of("0123456789", place); digit != std::string::npos)
            changed[digit] = static_cast<char>('0' + random() % 10);
        }
      }
      good += import(changed);
    }
  EXPECT_GT(good, texts.size()); // some changes are harmless, so that tests reach the verifiers
}

TEST_F(HostileTriton, TextsWithoutAKernelAreRejected) {
  EXPECT_FALSE(import(""));
  EXPECT_FALSE(import(std::string("\0\0\0", 3)));
  EXPECT_FALSE(import("module {}"));
  EXPECT_EQ(importer.errors(),
            "kernel.ttir:1:1: error: no kernel: the module has no public tt.func\n");
  EXPECT_FALSE(import("ML\xefR\x0d\x01"));
  EXPECT_NE(importer.errors().find("is MLIR bytecode"), std::string::npos) << importer.errors();
  EXPECT_FALSE(import(std::string(100000, '(')));
  EXPECT_NE(importer.errors().find("brackets nest"), std::string::npos) << importer.errors();
}

} // namespace
