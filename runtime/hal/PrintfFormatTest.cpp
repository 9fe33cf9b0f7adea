//===- PrintfFormatTest.cpp - records of gpu.printf as text -----------------===//
#include "runtime/hal/Printing.h"

#include <bit>
#include <gtest/gtest.h>
#include <random>

using namespace pumice;
using namespace pumice::hal;
using executable::ElementType;
using executable::PrintfFormat;

namespace {

uint32_t bits(float value) { return std::bit_cast<uint32_t>(value); }

/// Formats one record. The buffer has room for it. The words of the arguments are the third
/// parameter.
std::string printed(const char *format, std::vector<ElementType> types,
                    std::vector<uint32_t> arguments) {
  auto size = static_cast<uint32_t>(arguments.size() + 1);
  std::vector<uint32_t> words = {size, size << 16 | 3};
  words.insert(words.end(), arguments.begin(), arguments.end());
  words.resize(words.size() + 10, 0xdeadbeef);
  PrintfFormat one{3, format, std::move(types)};
  return formatPrintf({&one, 1}, words);
}

constexpr auto i32 = ElementType::i32, i64 = ElementType::i64, f32 = ElementType::f32,
               f64 = ElementType::f64;

} // namespace

TEST(PrintfFormat, Conversions) {
  EXPECT_EQ(printed("x = %f, n = %d\n", {f32, i32}, {bits(1), 42}), "x = 1.000000, n = 42\n");
  EXPECT_EQ(printed("%d %i %u %x %X %o", {i32, i32, i32, i32, i32, i32},
                    {uint32_t(-5), uint32_t(-6), uint32_t(-1), 0xab, 0xab, 8}),
            "-5 -6 4294967295 ab AB 10");
  EXPECT_EQ(printed("%ld %llu %zx", {i64, i64, ElementType::index},
                    {uint32_t(-2), UINT32_MAX, 0, 1, 0xf, 0x10}),
            "-2 4294967296 100000000f");
  uint64_t pi = std::bit_cast<uint64_t>(3.25);
  EXPECT_EQ(printed("%.3f %e %g %.0a", {f64, f32, f32, f32}, // without .0, Windows prints 13 digits
                    {uint32_t(pi), uint32_t(pi >> 32), bits(1.5f), bits(0.5f), bits(1)}),
            "3.250 1.500000e+00 0.5 0x1p+0");
  EXPECT_EQ(printed("[%5d|%-5d|%05d|%+d|% d|%#x|%.2f]", {i32, i32, i32, i32, i32, i32, f32},
                    {1, 2, 3, 4, 5, 6, bits(0.126f)}),
            "[    1|2    |00003|+4| 5|0x6|0.13]");
  EXPECT_EQ(printed("100%% %c%c", {i32, i32}, {'o', 'k'}), "100% ok");
  EXPECT_EQ(printed("%p %p", {i32, i64}, {0x10, 1, 2}), "0x10 0x200000001");
  EXPECT_EQ(printed("%f %f", {f32, f32}, {0x7fc00000, 0xff800000}), "nan -inf");
  EXPECT_EQ(printed("only text\n", {}, {}), "only text\n");
  EXPECT_EQ(printed("", {}, {}), "");
}

/// Tests conversions that do not suit their arguments, or that have none.
TEST(PrintfFormat, Disagreement) {
  EXPECT_EQ(printed("%f", {i32}, {uint32_t(-3)}), "-3.000000");
  EXPECT_EQ(printed("%x", {f32}, {bits(1)}), "3f800000");
  EXPECT_EQ(printed("%s %d", {i32}, {7}), "%s 7");
  EXPECT_EQ(printed("%d %d", {i32}, {7}), "7 %d");
  EXPECT_EQ(printed("%", {}, {}), "%");
  EXPECT_EQ(printed("%5", {}, {}), "%5");
  EXPECT_EQ(printed("%99999999999d", {i32}, {1}).size(), 4095u);
}

TEST(PrintfFormat, SeveralRecordsAndFormats) {
  std::vector<PrintfFormat> formats = {{0, "a %d\n", {i32}}, {7, "b\n", {}}};
  std::vector<uint32_t> words = {5, 2 << 16, 1, 1 << 16 | 7, 2 << 16, 3, 0xffffffff};
  EXPECT_EQ(formatPrintf(formats, words), "a 1\nb\na 3\n");
  EXPECT_EQ(formatPrintf(formats, {}), "");
  EXPECT_EQ(formatPrintf(formats, std::vector<uint32_t>{0}), "");
  EXPECT_EQ(formatPrintf(formats, std::vector<uint32_t>{0, 1, 2, 3}), "");
}

TEST(PrintfFormat, LostOutputIsSaid) {
  std::vector<PrintfFormat> formats = {{0, "a %d", {i32}}};
  // The kernel wrote three records of two words, but there is room for only five words.
  std::vector<uint32_t> words = {6, 2 << 16, 1, 2 << 16, 2, 0};
  EXPECT_EQ(formatPrintf(formats, words),
            "a 1a 2\n[gpu.printf: output was lost: the kernel wrote 28 bytes, the buffer has 24; "
            "launch with one of 28 or more (--print-bytes; print_bytes in C; set_printf_fifo_size "
            "in Triton)]\n");
  words.back() = 2 << 16; // there was room for its header, but not for its argument
  EXPECT_NE(formatPrintf(formats, words).find("a 1a 2\n[gpu.printf: output was lost"),
            std::string::npos);
  EXPECT_NE(formatPrintf(formats, std::vector<uint32_t>{1}).find("output was lost"),
            std::string::npos);
}

TEST(PrintfFormat, DamagedBuffersAreSaid) {
  std::vector<PrintfFormat> formats = {{0, "a %d\n", {i32}}};
  EXPECT_EQ(formatPrintf(formats, std::vector<uint32_t>{3, 1 << 16 | 9, 2 << 16, 5}),
            "[gpu.printf: the kernel has no format 9, which word 1 names]\na 5\n");
  EXPECT_EQ(formatPrintf(formats, std::vector<uint32_t>{3, 3 << 16, 1, 2}),
            "[gpu.printf: the record at word 1 has 3 words; format 0 takes 2]\n");
  EXPECT_EQ(formatPrintf(formats, std::vector<uint32_t>{2, 5 << 16, 1, 2}),
            "[gpu.printf: word 1 says that its record has 5 words; 2 are left: the buffer is "
            "damaged]\n");
  EXPECT_EQ(formatPrintf(formats, std::vector<uint32_t>{2, 0, 1, 2}),
            "[gpu.printf: word 1 says that its record has 0 words; 2 are left: the buffer is "
            "damaged]\n");
}

/// Any words with any formats must give a text, without an error of a sanitizer.
TEST(PrintfFormat, RandomBuffers) {
  uint32_t seed = std::random_device()();
  std::mt19937 random(seed);
  SCOPED_TRACE("seed " + std::to_string(seed));
  const std::string_view letters = "%%%%d.0123456789-+ #lzhiuxXcpfFeEgGaAs*n\n";
  size_t printed = 0;
  for (int round = 0; round < 20000; ++round) {
    std::vector<PrintfFormat> formats(random() % 4);
    for (PrintfFormat &format : formats) {
      format.id = random() % 5;
      for (size_t i = random() % 20; i > 0; --i)
        format.format += letters[random() % letters.size()];
      for (size_t i = random() % 4; i > 0; --i)
        format.arguments.push_back(ElementType(random() % 13));
    }
    std::vector<uint32_t> words(random() % 40);
    for (uint32_t &word : words)
      word = random() % 3 ? (random() % 6) << 16 | random() % 5 : uint32_t(random());
    if (!words.empty() && random() % 4)
      words[0] = random() % 60;
    printed += formatPrintf(formats, words).size();
  }
  EXPECT_GT(printed, 0u);
}
