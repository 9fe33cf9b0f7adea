//===- ExecutableTest.cpp - what is written is what is read -----------------===//
#include "executable/Executable.h"

#include "executable/test/Samples.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace pumice;
using namespace pumice::executable;

/// Writes the contents, reads them again, and expects them to be equal.
static void expectRoundTrip(const Executable &contents) {
  auto bytes = write(contents);
  ASSERT_TRUE(bytes.isOk()) << bytes.status().toString();
  auto back = read(*bytes);
  ASSERT_TRUE(back.isOk()) << back.status().toString();
  EXPECT_TRUE(*back == contents) << describe(contents) << "\nbecame\n" << describe(*back);
}

TEST(Executable, RealisticContentsComeBack) { expectRoundTrip(test::realistic()); }

TEST(Executable, EmptyOneComesBack) {
  expectRoundTrip({});
  EXPECT_EQ(describe({}), "0 entry points, 0 variants\n");
}

TEST(Executable, RandomContentsComeBack) {
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    expectRoundTrip(test::random(seed));
    if (HasFatalFailure())
      return;
  }
}

TEST(Executable, EqualContentsGiveEqualBytes) {
  EXPECT_EQ(*write(test::realistic()), *write(test::realistic()));
}

TEST(Executable, ReadsFromAnyAddress) {
  auto bytes = *write(test::realistic());
  for (size_t shift = 0; shift < 16; ++shift) {
    std::vector<uint8_t> moved(shift, 0);
    moved.insert(moved.end(), bytes.begin(), bytes.end());
    auto back = read(std::span(moved).subspan(shift));
    ASSERT_TRUE(back.isOk()) << back.status().toString();
    EXPECT_EQ(*back, test::realistic());
  }
}

TEST(Executable, CodeStartsAtAMultipleOfSixteen) {
  Executable contents = test::realistic();
  for (size_t length = 0; length < 16; ++length) {
    contents.producer.assign(length, 'p');
    auto bytes = *write(contents);
    const auto &code = contents.variants[0].code;
    auto found = std::search(bytes.begin(), bytes.end(), code.begin(), code.end());
    ASSERT_NE(found, bytes.end());
    EXPECT_EQ((found - bytes.begin()) % 16, 0);
  }
}

TEST(Executable, ScalarsMayBeWidenedAndIndicesCut) {
  Executable contents = test::realistic();
  Argument &rows = contents.entryPoints[0].arguments[2];
  rows.element = ElementType::f16, rows.elementBytes = 2; // passed as four bytes
  expectRoundTrip(contents);
  rows.element = ElementType::index, rows.elementBytes = 8; // the code uses 32-bit indices
  expectRoundTrip(contents);
}

TEST(Executable, NamesOfValues) {
  EXPECT_EQ(toString(VariantKind::OpenclSpirv), "opencl-spirv");
  EXPECT_EQ(toString(ElementType::opaque), "opaque");
  EXPECT_EQ(toString(Access::ReadWrite), "read-write");
  EXPECT_EQ(toString(VariantKind(200)), "unknown");
}

TEST(Executable, EveryFieldCounts) {
  // The round-trip tests rely on operator==, so it must compare each field of the format.
  Executable contents = test::realistic(), other = contents;
  other.variants[0].interfaces[0].fields[3].offset += 1;
  EXPECT_NE(contents, other);
  other = contents;
  other.entryPoints[0].printfs[0].arguments[0] = ElementType::i64;
  EXPECT_NE(contents, other);
}
