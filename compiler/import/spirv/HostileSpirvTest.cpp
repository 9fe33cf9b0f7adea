//===- HostileSpirvTest.cpp - reads damaged SPIR-V --------------------------===//
// Cuts the lit tests' modules at every word, and changes words at random. A module that can be read
// must pass MLIR's verifier. For any other module, the reader must report an error that says where
// and why.
//===-------------------------------------------------------------------------===//
#include "compiler/import/spirv/ReadSpirv.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/SwapByteOrder.h"

#include <gtest/gtest.h>
#include <spirv-tools/libspirv.hpp>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <regex>

using namespace pumice::spirv_import;

namespace {

using Words = std::vector<uint32_t>;

std::string contentsOf(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Returns the modules and their names.
std::vector<std::pair<std::string, Words>> corpus() {
  std::vector<std::pair<std::string, Words>> modules;
  spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_6);
  std::filesystem::path root = PUMICE_SOURCE_DIR;
  for (const auto &entry :
       std::filesystem::directory_iterator(root / "compiler/import/spirv/test")) {
    Words words;
    if (entry.path().extension() == ".test" && tools.Assemble(contentsOf(entry.path()), &words))
      modules.emplace_back(entry.path().filename().string(), words);
  }
  for (const auto &entry : std::filesystem::directory_iterator(root / "executable/test/spirv")) {
    std::string bytes = contentsOf(entry.path());
    if (entry.path().extension() != ".spv")
      continue;
    Words words(bytes.size() / 4);
    std::memcpy(words.data(), bytes.data(), words.size() * 4);
    modules.emplace_back(entry.path().filename().string(), words);
  }
  std::sort(modules.begin(), modules.end());
  return modules;
}

class HostileSpirv : public testing::Test {
protected:
  HostileSpirv() : context(mlir::MLIRContext::Threading::DISABLED) {
    context.getDiagEngine().registerHandler([this](mlir::Diagnostic &diagnostic) {
      error = diagnostic.str();
      return mlir::success();
    });
  }

  /// Returns whether `words` is a valid module.
  bool read(const Words &words) {
    error.clear();
    auto module = readSpirv(&context, words, {});
    if (mlir::succeeded(module)) {
      EXPECT_TRUE(mlir::succeeded(mlir::verify(**module))) << error;
      return true;
    }
    static const std::regex form("(word [0-9]+: .+: .+|word [0-9]+: .+|"
                                 "does not begin with SPIR-V's header|holds no compute shader.*)");
    EXPECT_TRUE(std::regex_match(error, form)) << error;
    return false;
  }

  mlir::MLIRContext context;
  std::string error;
};

TEST_F(HostileSpirv, ModulesAreReadInBothByteOrders) {
  size_t good = 0;
  for (auto &[name, words] : corpus()) {
    SCOPED_TRACE(name);
    bool native = read(words);
    good += native;
    for (uint32_t &word : words)
      word = llvm::byteswap(word);
    EXPECT_EQ(read(words), native);
  }
  EXPECT_GE(good, 6u);
}

TEST_F(HostileSpirv, Truncated) {
  for (const auto &[name, words] : corpus())
    for (size_t length = 0; length < words.size(); ++length) {
      SCOPED_TRACE(name + " cut at word " + std::to_string(length));
      read(Words(words.begin(), words.begin() + static_cast<ptrdiff_t>(length)));
    }
}

TEST_F(HostileSpirv, Changed) {
  constexpr uint32_t seeds = 400;
  for (const auto &[name, words] : corpus())
    for (uint32_t seed = 0; seed < seeds; ++seed) {
      SCOPED_TRACE(name + " changed with seed " + std::to_string(seed));
      std::mt19937 random(seed);
      Words changed = words;
      for (uint32_t count = random() % 4 + 1; count > 0; --count) {
        uint32_t &word = changed[random() % changed.size()];
        switch (random() % 4) {
        case 0:
          word = changed[random() % changed.size()]; // in many cases another id
          break;
        case 1:
          word ^= 1u << random() % 32;
          break;
        case 2:
          word = random() % 64;
          break;
        default:
          word += random() % 2 ? 1 : -1;
        }
      }
      read(changed);
    }
}

TEST_F(HostileSpirv, InvalidModulesAreRejected) {
  EXPECT_FALSE(read({}));
  EXPECT_FALSE(read({0x07230203}));
  EXPECT_FALSE(read({0x07230203, 0x00010700, 0, 8, 0}));
  EXPECT_NE(error.find("version 1.7"), std::string::npos) << error;
  EXPECT_FALSE(read({0x07230203, 0x00010600, 0, 0xffffffff, 0}));
  EXPECT_NE(error.find("ids"), std::string::npos) << error;
}

} // namespace
