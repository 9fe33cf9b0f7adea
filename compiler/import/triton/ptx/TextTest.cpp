//===- TextTest.cpp - tests the reader of inline assembly -------------------===//
#include "compiler/import/triton/ptx/Text.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

using namespace pumice::triton::ptx;
using Kind = Operand::Kind;

namespace {

/// Returns the first problem of a text as "line: what", or "" if there is none.
std::string problemOf(const std::string &text, unsigned arguments = 2) {
  std::string problem;
  auto report = [&](unsigned line, const std::string &what) {
    problem = std::to_string(line) + ": " + what;
  };
  bool isBad = mlir::failed(readText(text, arguments, report));
  EXPECT_EQ(isBad, !problem.empty());
  return problem;
}

Program read(const std::string &text, unsigned arguments = 2) {
  auto program = readText(text, arguments, [](unsigned line, const std::string &what) {
    ADD_FAILURE() << line << ": " << what;
  });
  return mlir::failed(program) ? Program() : *program;
}

TEST(PtxText, Statements) {
  Program program = read("{\n .reg .b32 a<2>, %r; /* two\n lines */\n .reg .pred p;\n"
                         "@!p ld.global.v2.b32 {a0, _}, [$1+-8]; // behind\n"
                         "setp.lt.and.s32 p|a1, %r, -0x10, !p;\n}\nmov.u32 $0, %ctaid.x;");
  ASSERT_EQ(program.registers.size(), 4u);
  EXPECT_EQ(program.registers[1].name, "a1");
  EXPECT_EQ(program.registers[2].name, "%r");
  EXPECT_EQ(program.registers[3].type, "pred");
  ASSERT_EQ(program.instructions.size(), 3u);
  const Instruction &load = program.instructions[0];
  EXPECT_EQ(load.line, 5u);
  EXPECT_EQ(load.opcode, "ld.global.v2.b32");
  ASSERT_TRUE(load.guard.has_value());
  EXPECT_TRUE(load.guard->isNegated);
  EXPECT_EQ(load.guard->index, 5u); // two arguments and three registers come first
  ASSERT_EQ(load.operands.size(), 2u);
  EXPECT_EQ(load.operands[0].kind, Kind::Vector);
  EXPECT_EQ(load.operands[0].parts[1].kind, Kind::Sink);
  EXPECT_EQ(load.operands[1].kind, Kind::Address);
  EXPECT_EQ(static_cast<int64_t>(load.operands[1].value), -8);
  const Instruction &compare = program.instructions[1];
  EXPECT_EQ(compare.operands[0].kind, Kind::Pair);
  EXPECT_EQ(static_cast<int64_t>(compare.operands[2].value), -16);
  EXPECT_TRUE(compare.operands[3].isNegated);
  EXPECT_EQ(program.instructions[2].operands[1].name, "%ctaid.x");
}

TEST(PtxText, Numbers) {
  struct {
    const char *text;
    uint64_t value;
    unsigned floatBits;
  } numbers[] = {{"10", 10, 0},
                 {"0x1F", 31, 0},
                 {"0b101", 5, 0},
                 {"017", 15, 0},
                 {"7U", 7, 0},
                 {"-1", ~uint64_t(0), 0},
                 {"0f3F800000", 0x3f800000, 32},
                 {"-0f3F800000", 0xbf800000, 32},
                 {"0d3FF0000000000000", 0x3ff0000000000000, 64},
                 {"1.0", 0x3ff0000000000000, 64},
                 {"-2e-1", 0xbfc999999999999a, 64}};
  for (auto &number : numbers) {
    Program program = read(std::string("mov.b32 $0, ") + number.text + ";");
    ASSERT_EQ(program.instructions.size(), 1u) << number.text;
    EXPECT_EQ(program.instructions[0].operands[1].value, number.value) << number.text;
    EXPECT_EQ(program.instructions[0].operands[1].floatBits, number.floatBits) << number.text;
  }
}

/// Returns the second operand of `mov.b64 $0, text;`, or a Sink if that is not one instruction.
Operand valueOf(const std::string &text) {
  Program program = read("mov.b64 $0, " + text + ";");
  if (program.instructions.size() != 1 || program.instructions[0].operands.size() != 2)
    return {Kind::Sink};
  return program.instructions[0].operands[1];
}

TEST(PtxText, ConstantExpressions) {
  struct {
    const char *text;
    uint64_t value;
  } integers[] = {
      {"(0xf0 & 0xcc) | 0xaa", 0xea},
      {"0xf0&0xcc|0xaa", 0xea},
      {"(0xF0 ^ 0xCC) ^ 0xAA", 0x96},
      {"~0xf0 & 0xff", 0x0f},
      {"1 + 2 * 3", 7},
      {"(1 + 2) * 3", 9},
      {"10 - 4 - 3", 3},
      {"100 / 10 / 5", 2},
      {"1 << 4 + 1", 32},
      {"1 | 2 ^ 3 & 4", 3},
      {"1 < 2 == 1", 1},
      {"5 & 4 == 4", 1}, // C's precedence: 5 & (4 == 4)
      {"0 && 1 || 1", 1},
      {"2 && 4", 1},
      {"!0 + !7", 1},
      {"- - 5", 5},
      {"-7 / 2", static_cast<uint64_t>(-3)},
      {"-7U / 2", (~uint64_t(0) - 6) / 2},
      {"-1 > 0", 0},
      {"-1U > 0", 1},
      {"0xfabc123400000000 > 0", 1}, // unsigned, since it does not fit a signed number
      {"-1 < 0xfabc123400000000", 0},
      {"-7 % 3", (~uint64_t(0) - 6) % 3}, // the operands are unsigned, and the result is signed
      {"-1 % 2 - 2 < 0", 1},
      {"-16 >> 2", static_cast<uint64_t>(-4)},
      {"-16U >> 60", 15},
      {"~0 >> 60", 15},
      {"-1 >> 100", ~uint64_t(0)},
      {"1U >> 64", 0},
      {"1 << 64", 0},
      {"1 << -1", 0},
      {"(.u64) -16 >> 60", 15},
      {"(.s64) ~0 >> 60", ~uint64_t(0)},
      {"0x8000000000000000 / -1", 0},
      {"(.s64)0x8000000000000000 / -1", 0x8000000000000000},
      {"1 ? 2 : 3", 2},
      {"0 ? 2 : 0 ? 3 : 4", 4},
      {"(1 ? -1 : 1U) > 0", 1},
      {"WARP_SZ * 2 - 1", 63},
      {"1.5 < 2.0", 1},
      {"1 /* a */ + // b\n 2", 3},
  };
  for (auto &one : integers) {
    Operand operand = valueOf(one.text);
    EXPECT_EQ(operand.kind, Kind::Number) << one.text;
    EXPECT_EQ(operand.value, one.value) << one.text;
    EXPECT_EQ(operand.floatBits, 0u) << one.text;
  }
  Operand third = valueOf("-(1.0 / 4.0) + .5");
  EXPECT_EQ(third.floatBits, 64u);
  EXPECT_EQ(third.value, 0x3fd0000000000000u);
  EXPECT_EQ(valueOf("(.5)").value, 0x3fe0000000000000u);
  Program program = read("ld.b32 $0, [$1 + 4 * (2 + 1)]; mov.v2.b32 $0, {1 + 1, -(2)}; "
                         "{ .reg .pred p, q; setp.eq.s32 p|q, 1 | 2, 3; @!p mov.b32 $0, !1; }");
  ASSERT_EQ(program.instructions.size(), 4u);
  EXPECT_EQ(program.instructions[0].operands[1].value, 12u);
  EXPECT_EQ(program.instructions[1].operands[1].parts[1].value, ~uint64_t(1));
  EXPECT_EQ(program.instructions[2].operands[0].kind, Kind::Pair);
  EXPECT_EQ(program.instructions[2].operands[1].value, 3u);
  EXPECT_EQ(program.instructions[3].operands[1].value, 0u);
}

TEST(PtxText, BadConstantExpressions) {
  auto problem = [](const std::string &text) { return problemOf("mov.b32 $0, " + text + ";"); };
  EXPECT_EQ(problem("1 +"), "1: expected a number, got ';'");
  EXPECT_EQ(problem("(1 + 2"), "1: expected ')' after a constant expression, got ';'");
  EXPECT_EQ(problem("1 / (2 - 2)"), "1: expected a divisor other than 0 after '/', got 0");
  EXPECT_EQ(problem("1 % 0"), "1: expected a divisor other than 0 after '%', got 0");
  EXPECT_EQ(problem("1 + $1"), "1: expected a number, got '$1'");
  EXPECT_EQ(problem("(x & 1)"), "1: expected a number in a constant expression, got 'x'; compute "
                                "with registers by instructions");
  EXPECT_EQ(problem("(.s32) 1"), "1: expected .s64 or .u64 as the type of a cast, got '.s32'");
  EXPECT_EQ(problem("(.s64) 1.5"),
            "1: expected an integer to cast, got a float; write it as an integer");
  EXPECT_EQ(problem("~1.5"), "1: expected an integer after '~', got a float");
  EXPECT_EQ(problem("1.5 & 2.5"), "1: expected integers for '&', got floats");
  EXPECT_EQ(problem("1 + 1.5"), "1: expected two integers or two floats such as 1.5 for '+', "
                                "got an integer and a float");
  EXPECT_EQ(
      problem("1.5 + 0f3F800000"),
      "1: expected two integers or two floats such as 1.5 for '+', got a float and a float of "
      "32 bits");
  EXPECT_EQ(problem("1.5 ? 1 : 2"), "1: expected an integer before '?', got a float");
  EXPECT_EQ(problem("1 ? 2"), "1: expected ':' after '?' and a constant expression, got ';'");
  EXPECT_EQ(problem("1 ? 2 : 2.5"),
            "1: expected two integers or two floats after '?', got an integer and a float");
  EXPECT_EQ(
      problem("18446744073709551616"),
      "1: expected an integer of 64 bits (12 or 0x1f) or a float (1.5, 0f and 8 digits, or 0d "
      "and 16), got '18446744073709551616'");
  const char *nested = "1: expected a constant expression nested at most 64 deep, got a deeper one";
  for (const char *one : {"(", "-", "!", "~", "1?", "0?1:", "(.u64)"}) {
    std::string text;
    for (int i = 0; i < 8000; ++i)
      text += one;
    EXPECT_EQ(problem(text + "1"), nested) << one;
  }
  EXPECT_EQ(problem(std::string(60000, '!') + "$0"), ""); // 60000 is even; no recursion
}

TEST(PtxText, MessagesHaveNoControlCharacters) {
  using namespace std::string_literals;
  EXPECT_EQ(problemOf("mov.b32 $0, \0;"s), "1: expected an operand, got '\\x00'");
  EXPECT_EQ(problemOf("add\0.s32 $0, $1;"s), "1: expected an operand, got '\\x00.s32'");
  std::string cut = problemOf("mov.b32 $0, \"" + std::string(38, 'a') + "äöü;"); // ä would be split
  EXPECT_EQ(cut, "1: expected an operand, got '\"" + std::string(38, 'a') + "…'");
}

TEST(PtxText, BlocksHaveRegistersOfTheirOwn) {
  Program program = read("{ .reg .b32 t; { .reg .b32 t; mov.b32 t, 1; } mov.b32 t, 2; }");
  ASSERT_EQ(program.instructions.size(), 2u);
  EXPECT_EQ(program.instructions[0].operands[0].index, 3u);
  EXPECT_EQ(program.instructions[1].operands[0].index, 2u);
}

TEST(PtxText, Problems) {
  EXPECT_EQ(problemOf("mov.b32 $0, $1"), "1: expected ';' after 'mov.b32', got the end");
  EXPECT_EQ(problemOf("\n\nmov.b32 $0 $1;"), "3: expected ';' after 'mov.b32', got '$1'");
  EXPECT_EQ(problemOf("mov.b32 $0, $2;"),
            "1: $2 is beyond the 2 operands that the constraints name");
  EXPECT_EQ(problemOf("mov.b32 $0, x;"), "1: unknown register 'x'; declare it: .reg .b32 x;");
  EXPECT_EQ(problemOf("mov.b32 $, x;"), "1: expected a number after '$', got ','");
  EXPECT_EQ(problemOf("{ mov.b32 $0, $1;"), "1: a block is not closed; end it with '}'");
  EXPECT_EQ(problemOf("}"), "1: '}' closes no block");
  EXPECT_EQ(problemOf("/* no end"), "1: a comment is not closed; end it with */");
  EXPECT_EQ(problemOf(".reg .b32 a, a;"), "1: register 'a' is declared twice");
  EXPECT_EQ(problemOf(".reg b32 a;"), "1: expected a type after .reg, got 'b32'");
  EXPECT_EQ(problemOf(".reg .b32 a<999999999999>;"),
            "1: expected a count of registers up to 4096 and '>' after a<");
  EXPECT_EQ(problemOf(".reg .b32 a<4000>; .reg .b32 b<4000>;"), "1: more than 4096 registers");
  EXPECT_EQ(problemOf(".shared .b32 a;"),
            "1: unsupported directive '.shared'; inline assembly can declare only registers, and "
            "kernels share memory through tensors");
  EXPECT_EQ(problemOf("L1: mov.b32 $0, $1;"), "1: unsupported label 'L1'; loops and branches are "
                                              "written in Python: while, for, if, tl.where");
  EXPECT_EQ(
      problemOf("mov.b32 $0, 0f3F80;"),
      "1: expected an integer of 64 bits (12 or 0x1f) or a float (1.5, 0f and 8 digits, or 0d "
      "and 16), got '0f3F80'");
  EXPECT_EQ(problemOf("mov.b32 $0, -;"), "1: expected a number, got ';'");
  EXPECT_EQ(problemOf("mov.b32 $0, {$1;"), "1: expected '}' after the parts of a vector, got ';'");
  EXPECT_EQ(problemOf("ld.b32 $0, [$1;"), "1: expected ']' after an address, got ';'");
  EXPECT_EQ(problemOf("@$5 mov.b32 $0, $1;"),
            "1: $5 is beyond the 2 operands that the constraints name");
  EXPECT_EQ(problemOf("@1 mov.b32 $0, $1;"), "1: expected a register after '@'");
  EXPECT_EQ(problemOf("1;"), "1: expected an instruction, got '1'");
  EXPECT_EQ(problemOf(std::string(40, '{')), "1: blocks are nested too deep");
  EXPECT_EQ(problemOf(std::string(70000, ' ')), "1: more than 65536 characters");
}

std::string constraintsProblem(const std::string &text) {
  std::string problem;
  EXPECT_TRUE(mlir::failed(readConstraints(text, problem))) << text;
  return problem;
}

TEST(PtxText, Constraints) {
  std::string problem;
  auto constraints = readConstraints("=r, =&f,=d,h,l,0,~{memory}", problem);
  ASSERT_TRUE(mlir::succeeded(constraints)) << problem;
  ASSERT_EQ(constraints->size(), 6u);
  EXPECT_TRUE((*constraints)[1].isOutput);
  EXPECT_EQ((*constraints)[2].bits, 64u);
  EXPECT_EQ((*constraints)[3].bits, 16u);
  EXPECT_EQ((*constraints)[5].tied, 0u);
  EXPECT_EQ((*constraints)[5].bits, 32u);
  EXPECT_EQ(constraintsProblem("=r,=q").substr(0, 26), "constraint '=q' is unknown");
  EXPECT_EQ(constraintsProblem("=r,1"),
            "constraint '1' ties an input to an operand that is not an output");
  EXPECT_EQ(constraintsProblem("r,=r"),
            "constraint '=r' is for a result, but follows one for an operand");
}

/// Combines valid pieces of text in random order. The reader must not crash or hang.
TEST(PtxText, RandomTexts) {
  const char *pieces[] = {"{",
                          "}",
                          ";",
                          ",",
                          "[",
                          "]",
                          "|",
                          "!",
                          "@",
                          "$",
                          "$0",
                          "$1",
                          "${0}",
                          "_",
                          "+",
                          "-",
                          "\n",
                          "//",
                          "/*",
                          "*/",
                          ".reg",
                          ".b32",
                          ".pred",
                          " p",
                          " q<3>",
                          "<",
                          ">",
                          "0x",
                          "0f",
                          "1.5",
                          "1e",
                          "%smid",
                          "%ctaid.x",
                          "L:",
                          "add.s32 ",
                          "mov.b32 ",
                          "bra ",
                          "\t",
                          "\xff",
                          "\"",
                          "9999999999999999999",
                          "(",
                          ")",
                          "~",
                          "?",
                          ":",
                          "<<",
                          "&",
                          "/",
                          "%",
                          "(.u64)",
                          "ld.global.v2.b32 "};
  const char *given = std::getenv("PUMICE_SEED");
  unsigned seed = given ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : 1;
  std::cout << "seed " << seed << "\n";
  std::mt19937 random(seed);
  for (int turn = 0; turn < 20000; ++turn) {
    std::string text;
    for (unsigned i = random() % 24; i > 0; --i)
      text += pieces[random() % std::size(pieces)];
    std::string problem;
    auto report = [&](unsigned, const std::string &what) { problem = what; };
    bool isBad = mlir::failed(readText(text, 2, report));
    ASSERT_EQ(isBad, !problem.empty()) << text;
    (void)readConstraints(text, problem);
  }
}

} // namespace
