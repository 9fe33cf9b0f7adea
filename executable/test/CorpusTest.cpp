//===- CorpusTest.cpp - broken files: an error or a sound read, never a crash ===//
#include "executable/Checksums.h"
#include "executable/Validate.h"
#include "executable/test/Samples.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

using namespace pumice;
using namespace pumice::executable;

namespace {
/// Reads an executable. If that succeeds, describing and writing its contents must also succeed.
/// Returns whether reading succeeded.
bool survives(std::span<const uint8_t> bytes) {
  auto result = read(bytes);
  if (!result.isOk()) {
    EXPECT_NE(result.status().message().find(": "), std::string::npos)
        << "names no field: " << result.status().message();
    return false;
  }
  EXPECT_FALSE(describe(*result).empty());
  auto again = write(*result);
  EXPECT_TRUE(again.isOk()) << again.status().toString();
  return true;
}

void survivesSealed(std::vector<uint8_t> bytes) {
  survives(bytes);
  if (seal(bytes))
    survives(bytes);
}

std::vector<uint8_t> load(const std::filesystem::path &path) {
  std::ifstream stream(path, std::ios::binary);
  EXPECT_TRUE(stream) << path;
  return {std::istreambuf_iterator<char>(stream), {}};
}

const std::filesystem::path corpus = PUMICE_EXECUTABLE_CORPUS;
} // namespace

TEST(Corpus, TruncatedAnywhere) {
  auto bytes = *write(test::realistic());
  for (size_t length = 0; length < bytes.size(); ++length) {
    std::vector<uint8_t> part(bytes.begin(), bytes.begin() + length);
    EXPECT_FALSE(survives(part)) << length;
    survivesSealed(part);
  }
}

TEST(Corpus, AnyBitFlippedIsNoticed) {
  auto bytes = *write(test::realistic());
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    bytes[bit / 8] ^= 1 << bit % 8;
    EXPECT_FALSE(survives(bytes)) << "bit " << bit;
    bytes[bit / 8] ^= 1 << bit % 8;
  }
}

TEST(Corpus, AnyBitFlippedWithChecksumsMadeRight) {
  auto bytes = *write(test::realistic());
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    auto flipped = bytes;
    flipped[bit / 8] ^= 1 << bit % 8;
    if (seal(flipped))
      survives(flipped);
  }
}

TEST(Corpus, HostileWordsAnywhere) {
  static constexpr uint32_t words[] = {0,          1,       0xffffffff, 0x80000000,
                                       0x7fffffff, 0x10000, 0xfffffff8};
  auto bytes = *write(test::realistic());
  for (size_t at = 0; at + 4 <= bytes.size(); at += 4)
    for (uint32_t word : words) {
      auto hostile = bytes;
      std::memcpy(hostile.data() + at, &word, 4);
      survivesSealed(std::move(hostile));
    }
}

TEST(Corpus, RandomDamage) {
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 engine(seed);
    auto bytes = *write(test::random(seed));
    for (int i = 1 + engine() % 4; i > 0; --i)
      bytes[engine() % bytes.size()] = uint8_t(engine());
    survivesSealed(std::move(bytes));
  }
}

/// Tests every file with which a fuzzer found a bug, and some files for each code path that the
/// fuzzer reached.
TEST(Corpus, FilesFoundByFuzzing) {
  size_t files = 0;
  for (const auto &file : std::filesystem::directory_iterator(corpus / "found")) {
    SCOPED_TRACE(file.path().string());
    survivesSealed(load(file.path()));
    ++files;
  }
  EXPECT_GT(files, 0u);
}

/// Tests a file that a writer of format 1.0 made. It must stay readable.
TEST(Corpus, FormatOneZero) {
  auto result = read(load(corpus / "format-1.0.pumice"));
  ASSERT_TRUE(result.isOk()) << result.status().toString();
  ASSERT_EQ(result->entryPoints.size(), 2u);
  ASSERT_EQ(result->variants.size(), 4u);
  EXPECT_EQ(result->entryPoints[0].printfs[0].format, "row %d: max %f\n");
  EXPECT_EQ(result->variants[0].interfaces[1].fields[9].source, FieldSource::Scalar);
  EXPECT_EQ(result->variants[1].interfaces[0].bindings[2].source, BindingSource::Parameters);
  EXPECT_EQ(result->variants[3].requirements.architecture, "x86-64-v4");
  EXPECT_EQ(result->variants[1].interfaces[0].leastSubgroupSize, 0u); // the field was added in 1.1
  for (const Interface &interface : result->variants[0].interfaces) {
    EXPECT_EQ(interface.dynamicMemoryElementBytes, 0u); // added in 1.2
    EXPECT_EQ(interface.indexBits, 0u);                 // added in 1.3
    EXPECT_EQ(interface.workgroupSize[0], 0u);          // added in 1.4
  }
}
