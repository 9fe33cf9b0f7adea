//===- TranslationTest.cpp - any instruction is arith, or an error --------------------===//
// Opcodes of all bases, modifiers and types, with any operands: what is translated passes the
// verifier, and what is not says why.
//===-------------------------------------------------------------------------===//
#include "compiler/import/triton/Passes.h"
#include "compiler/import/triton/testing/TritonTexts.h"

#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <random>

using namespace pumice::triton;

namespace {

const char *const bases[] = {
    "abs",  "add",    "and",      "atom",  "bfe",          "bfi",   "bfind",     "bmsk",   "brev",
    "clz",  "cnot",   "copysign", "cos",   "createpolicy", "cvt",   "cvta",      "div",    "dp2a",
    "dp4a", "ex2",    "fence",    "fma",   "ld",           "lg2",   "lop3",      "mad",    "mad24",
    "max",  "membar", "min",      "mov",   "mul",          "mul24", "nanosleep", "neg",    "not",
    "or",   "popc",   "prefetch", "prmt",  "rcp",          "red",   "rem",       "rsqrt",  "sad",
    "selp", "set",    "setp",     "shf",   "shl",          "shr",   "sin",       "slct",   "sqrt",
    "st",   "sub",    "tanh",     "testp", "xor",          "mma",   "vote",      "nothing"};
const char *const modifiers[] = {
    "approx",    "rn",     "rz",      "rm",      "rp",  "rni",  "rzi",  "ftz",  "sat",
    "satfinite", "relu",   "NaN",     "lo",      "hi",  "wide", "eq",   "lt",   "ltu",
    "nan",       "and",    "global",  "v2",      "v4",  "l",    "r",    "wrap", "clamp",
    "f4e",       "rc16",   "relaxed", "acquire", "add", "cas",  "exch", "nc",   "L1::evict_last",
    "shiftamt",  "finite", "full",    "to"};
const char *const types[] = {"b8",     "u8",    "s8",    "b16",    "u16",    "s16",
                             "b32",    "u32",   "s32",   "b64",    "u64",    "s64",
                             "f16",    "bf16",  "f32",   "f64",    "pred",   "f16x2",
                             "bf16x2", "s16x2", "f32x2", "e4m3x2", "e5m2x2", "tf32"};
const char *const operands[] = {"$0",       "$1",
                                "$2",       "h",
                                "w",        "d",
                                "p",        "q",
                                "!p",       "b",
                                "3",        "-1",
                                "0xffff",   "0f3F800000",
                                "1.5",      "{h, g}",
                                "{w, w}",   "{$0, h}",
                                "[$2]",     "[$2+4]",
                                "[d+2]",    "[w]",
                                "p|q",      "_",
                                "%ctaid.x", "%globaltimer",
                                "%smid",    "%tid.x",
                                "%clock"};

class RandomInstructions : public testing::Test {
protected:
  template <size_t count> const char *any(const char *const (&words)[count]) {
    return words[random() % count];
  }

  std::string instruction() {
    std::string text;
    if (random() % 6 == 0)
      text = random() % 2 ? "@p " : "@!q ";
    text += any(bases);
    for (unsigned i = random() % 3; i > 0; --i)
      text += std::string(".") + any(modifiers);
    for (unsigned i = random() % 8 ? 1 + random() % 2 : 0; i > 0; --i)
      text += std::string(".") + any(types);
    for (unsigned i = 0, count = 1 + random() % 5; i < count; ++i)
      text += std::string(i ? ", " : " ") + (random() % 2 ? any(operands) : "w");
    return text + "; ";
  }

  /// Registers of all widths hold something first.
  std::string assembly() {
    std::string text = "{ .reg .b8 b; .reg .b16 h, g; .reg .b32 w; .reg .b64 d; .reg .pred p, q; "
                       "mov.b16 h, 5; mov.b16 g, 7; mov.b32 w, 9; mov.b64 d, 11; "
                       "setp.lt.s32 p|q, $1, 4; cvt.u8.u32 b, 77; mov.b32 $0, 0; ";
    for (unsigned i = 1 + random() % 2; i > 0; --i)
      text += instruction();
    return text + "}";
  }

  std::string kernel(bool isPacked) {
    std::string x = isPacked ? "tensor<64xf16>" : random() % 2 ? "i32" : "tensor<64xf32>";
    bool isTensor = x[0] == 't';
    std::string y = isPacked   ? "tensor<64xi8>"
                    : isTensor ? "tensor<64x!tt.ptr<f32>>"
                               : "!tt.ptr<i16>";
    return "module {\ntt.func public @k(%x: " + x + ", %y: " + y +
           ") attributes {noinline = false} {\n" + "%z = tt.elementwise_inline_asm \"" +
           assembly() + "\" {constraints = \"=r,r," + (isPacked ? "r" : "l") +
           "\", packed_element = " + (isPacked ? "2" : "1") +
           " : i32, pure = false} %x, %y : " + x + ", " + y + " -> " + x + "\ntt.return\n}\n}\n";
  }

  std::mt19937 random;
};

TEST_F(RandomInstructions, AreTranslatedOrRefused) {
  const char *given = std::getenv("PUMICE_SEED");
  auto seed = given ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : 1u;
  std::cout << "seed " << seed << "\n";
  random.seed(seed);
  TextImporter importer;
  int translated = 0;
  for (int turn = 0; turn < 6000; ++turn) {
    std::string text = kernel(random() % 3 == 0);
    importer.clear();
    auto module = importer.import(text);
    ASSERT_TRUE(mlir::succeeded(module)) << importer.errors() << text;
    mlir::PassManager passes((*module)->getContext());
    passes.addPass(createReadInlineAssembly());
    if (mlir::succeeded(passes.run(**module)))
      ++translated;
    else
      ASSERT_NE(importer.errors().find("error: inline assembly"), std::string::npos)
          << importer.errors() << text;
    ASSERT_EQ(importer.errors().find(" op "), std::string::npos) // a verifier's
        << importer.errors() << text;
  }
  std::cout << translated << " were translated\n";
  EXPECT_GT(translated, 30);
}

} // namespace
