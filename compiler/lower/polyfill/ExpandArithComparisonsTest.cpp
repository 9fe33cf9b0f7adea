//===- ExpandArithComparisonsTest.cpp - comparisons of extended values ------===//
#include "compiler/lower/testing/JitFunction.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <string>

using namespace pumice::lower::testing;

namespace {

struct ExtendedFrom {
  std::string op, type;
  int64_t (*extend)(uint32_t bits);
};
const ExtendedFrom extensions[] = {
    {"extsi", "i32", [](uint32_t bits) { return int64_t(int32_t(bits)); }},
    {"extui", "i32", [](uint32_t bits) { return int64_t(bits); }},
    {"extsi", "i8", [](uint32_t bits) { return int64_t(int8_t(bits)); }},
    {"extui", "i8", [](uint32_t bits) { return int64_t(uint8_t(bits)); }},
};

bool compare(const std::string &predicate, int64_t a, int64_t b) {
  bool less = predicate[0] == 'u' ? uint64_t(a) < uint64_t(b) : a < b;
  if (predicate == "eq" || predicate == "ne")
    return (a == b) == (predicate == "eq");
  bool holds = predicate.substr(1, 1) == "l" ? less : a != b && !less;
  return holds || (a == b && predicate.ends_with("e"));
}

/// Returns an operation that defines %aw, the extension of %a.
std::string extended(const std::string &name, const ExtendedFrom &from) {
  std::string cut = "%" + name, text;
  if (from.type != "i32") {
    text = "  " + cut + "c = arith.trunci " + cut + " : i32 to " + from.type + "\n";
    cut += "c";
  }
  return text + "  %" + name + "w = arith." + from.op + " " + cut + " : " + from.type + " to i64\n";
}

constexpr int64_t bounds[] = {0,
                              1,
                              -1,
                              127,
                              128,
                              -128,
                              -129,
                              255,
                              256,
                              INT32_MAX,
                              INT32_MAX + 1ll,
                              INT32_MIN,
                              INT32_MIN - 1ll,
                              UINT32_MAX,
                              UINT32_MAX + 1ll,
                              INT64_MAX,
                              INT64_MIN,
                              INT64_MIN + 7};

// Compares extended values with each other, and with constants on both sides. Some constants can
// never equal an extended value.
TEST(ExpandArith, ComparesExtendedValues) {
  constexpr uint32_t values[] = {0,
                                 1,
                                 2,
                                 7,
                                 127,
                                 128,
                                 200,
                                 255,
                                 256,
                                 uint32_t(-1),
                                 uint32_t(-7),
                                 uint32_t(-129),
                                 INT32_MAX,
                                 uint32_t(INT32_MIN),
                                 uint32_t(INT32_MIN) + 1,
                                 0x12345678,
                                 0x9abcdef0};
  for (std::string predicate :
       {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"}) {
    std::string text;
    auto add = [&](const std::string &name, const std::string &body) {
      text +=
          "func.func @" + name + "(%a: i32, %b: i32) -> i1 {\n" + body + "  return %r : i1\n}\n";
    };
    std::string cmp = "  %r = arith.cmpi " + predicate + ", ";
    for (size_t i = 0; i < std::size(extensions); ++i) {
      for (size_t j = 0; j < std::size(extensions); ++j)
        add("both" + std::to_string(i) + std::to_string(j),
            extended("a", extensions[i]) + extended("b", extensions[j]) + cmp + "%aw, %bw : i64\n");
      for (size_t j = 0; j < std::size(bounds); ++j) {
        std::string operand = extended("a", extensions[i]) + "  %c = arith.constant " +
                              std::to_string(bounds[j]) + " : i64\n" + cmp;
        std::string name = std::to_string(i) + "_" + std::to_string(j);
        add("left" + name, operand + "%c, %aw : i64\n");
        add("right" + name, operand + "%aw, %c : i64\n");
      }
    }
    JitModule module(text, FmaKind::Fused);
    auto call = [&](const std::string &name, uint32_t a, uint32_t b) {
      auto *compiled = module.get<bool(uint32_t, uint32_t)>(name);
      EXPECT_NE(compiled, nullptr) << name;
      return compiled && compiled(a, b);
    };
    for (size_t i = 0; i < std::size(extensions); ++i)
      for (uint32_t a : values) {
        int64_t left = extensions[i].extend(a);
        for (size_t j = 0; j < std::size(extensions); ++j)
          for (uint32_t b : values)
            ASSERT_EQ(call("both" + std::to_string(i) + std::to_string(j), a, b),
                      compare(predicate, left, extensions[j].extend(b)))
                << predicate << " " << a << ", " << b << ": " << i << ", " << j;
        for (size_t j = 0; j < std::size(bounds); ++j) {
          std::string name = std::to_string(i) + "_" + std::to_string(j);
          ASSERT_EQ(call("left" + name, a, 0), compare(predicate, bounds[j], left))
              << bounds[j] << " " << predicate << " " << left;
          ASSERT_EQ(call("right" + name, a, 0), compare(predicate, left, bounds[j]))
              << left << " " << predicate << " " << bounds[j];
        }
      }
  }
}

} // namespace
