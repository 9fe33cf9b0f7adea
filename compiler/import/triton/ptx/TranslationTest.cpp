//===- TranslationTest.cpp - translates random instructions -----------------===//
// Combines base opcodes, modifiers, types and operands at random. The result of a translation must
// pass the verifier. An instruction that is not translated must be reported as an error.
//===-------------------------------------------------------------------------===//
#include "compiler/import/triton/Passes.h"
#include "compiler/import/triton/testing/TritonTexts.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"

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

const char *const sound[] = {"add.sat.s32 w, $1, 5",
                             "sub.u16 h, h, g",
                             "mul.hi.u64 d, d, d",
                             "mad.wide.s16 w, h, g, w",
                             "mad.hi.sat.s32 w, w, w, $1",
                             "div.s32 w, $1, w",
                             "rem.u64 d, d, 3",
                             "min.s16x2 w, w, $1",
                             "abs.s64 d, d",
                             "sad.u16 h, h, g, h",
                             "dp4a.u32.s32 w, w, w, w",
                             "dp2a.lo.s32.u32 w, w, w, w",
                             "mul24.hi.s32 w, w, w",
                             "and.pred p, p, q",
                             "lop3.b32 w, w, $1, 7, 0xca",
                             "prmt.b32.f4e w, w, $1, w",
                             "prmt.b32 w, w, w, 0x5410",
                             "shf.l.wrap.b32 w, w, w, 3",
                             "shl.b64 d, d, w",
                             "shr.s16 h, h, w",
                             "bfe.s64 d, d, w, 5",
                             "bfi.b32 w, w, w, 1, w",
                             "bfind.shiftamt.u64 w, d",
                             "bmsk.wrap.b32 w, w, w",
                             "brev.b64 d, d",
                             "popc.b64 w, d",
                             "add.rz.f32 w, w, w",
                             "fma.rp.f64 d, d, d, d",
                             "mul.sat.f16x2 w, w, w",
                             "fma.rn.relu.bf16x2 w, w, w, w",
                             "add.rn.f32x2 d, d, d",
                             "max.NaN.bf16 h, h, g",
                             "neg.f16 h, h",
                             "copysign.f64 d, d, d",
                             "tanh.approx.f16x2 w, w",
                             "ex2.approx.ftz.bf16 h, h",
                             "rsqrt.approx.f64 d, d",
                             "rcp.rm.f32 w, w",
                             "sqrt.rn.f32 w, w",
                             "div.full.f32 w, w, 1.5",
                             "setp.ltu.and.f32 p|q, w, 1.0, !q",
                             "setp.ge.f16x2 p|q, w, w",
                             "set.lt.f16.f32 h, w, w",
                             "selp.b64 d, d, 1, p",
                             "slct.b64.f32 d, d, d, w",
                             "testp.subnormal.f64 p, d",
                             "mov.b64 {w, w}, d",
                             "mov.b32 w, {h, g}",
                             "mov.b16 {b, b}, h",
                             "mov.u64 d, %globaltimer",
                             "mov.u32 w, %nctaid.y",
                             "cvt.rzi.u8.f32 w, w",
                             "cvt.rni.s64.f64 d, d",
                             "cvt.rz.f64.s64 d, d",
                             "cvt.sat.u16.s64 h, d",
                             "cvt.rn.satfinite.e4m3x2.f32 h, w, w",
                             "cvt.rn.f16x2.e5m2x2 w, h",
                             "cvt.rna.tf32.f32 w, w",
                             "cvt.rn.bf16x2.f32 w, w, w",
                             "cvt.rpi.f16.f16 h, h",
                             "ld.global.nc.v2.u16 {h, g}, [$2+2]",
                             "ld.volatile.global.s8 w, [d]",
                             "ld.acquire.gpu.b64 d, [$2]",
                             "st.global.v4.b32 [$2-16], {w, w, w, w}",
                             "st.release.sys.global.b32 [$2], w",
                             "atom.global.acq_rel.gpu.cas.b32 w, [$2], w, w",
                             "red.global.add.f32 [$2], w",
                             "atom.exch.b64 d, [$2], d",
                             "cvt.rn.satfinite.e2m1x2.f32 b, w, w",
                             "cvt.rn.f16x2.e2m1x2 w, b",
                             "cvt.rp.satfinite.ue8m0x2.f32 h, w, w",
                             "fns.b32 w, w, 3, w",
                             "createpolicy.range.global.L2::evict_last.b64 d, [$2], 8, 8",
                             "cvta.to.global.u64 d, $2",
                             "add.s64 d, $2, 8",
                             "mov.u64 d, $2",
                             "membar.gl",
                             "fence.acq_rel.gpu",
                             "nanosleep.u32 20"};

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

  /// Returns a valid instruction in which up to two words are replaced by words of other
  /// instructions.
  std::string changed() {
    auto wordsOf = [](llvm::StringRef text) {
      llvm::SmallVector<llvm::StringRef> words;
      llvm::SplitString(text, words, " ,.");
      return words;
    };
    std::string text = any(sound);
    for (unsigned i = random() % 3; i > 0; --i) {
      llvm::SmallVector<llvm::StringRef> own = wordsOf(text);
      std::string other = random() % 2 ? any(sound) : instruction();
      llvm::SmallVector<llvm::StringRef> others = wordsOf(other);
      llvm::StringRef word = own[random() % own.size()];
      size_t at = static_cast<size_t>(word.data() - own.front().data());
      text.replace(at, word.size(), others[random() % others.size()].rtrim(';').str());
    }
    return (random() % 4 ? "" : "@p ") + text + "; ";
  }

  /// Returns inline assembly that first writes registers of all widths.
  std::string assembly() {
    std::string text = "{ .reg .b8 b; .reg .b16 h, g; .reg .b32 w; .reg .b64 d; .reg .pred p, q; "
                       "mov.b16 h, 5; mov.b16 g, 7; mov.b32 w, 9; mov.b64 d, 11; "
                       "setp.lt.s32 p|q, $1, 4; cvt.u8.u32 b, 77; mov.b32 $0, 0; ";
    for (unsigned i = 1 + random() % 2; i > 0; --i)
      text += random() % 4 ? changed() : instruction();
    return text + "}";
  }

  /// Generates a kernel of packed halves, of whole tensors with pointers, or of scalars.
  std::string kernel(bool isPacked) {
    bool isTensor = isPacked || random() % 2;
    auto typed = [&](const std::string &element) {
      return isTensor ? "tensor<64x" + element + ">" : element;
    };
    std::string of = isPacked ? "f16" : "f32", pointers = typed("!tt.ptr<" + of + ">");
    std::string x = typed(of), y = isPacked ? x : pointers, i32 = typed("i32");
    std::string text = "module {\ntt.func public @k(%p: !tt.ptr<" + of +
                       ">) attributes {noinline = false} {\n%c = arith.constant 3 : i32\n";
    text += isTensor
                ? "%i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>\n"
                  "%q = tt.splat %p : !tt.ptr<" +
                      of + "> -> " + pointers + "\n"
                : "%i = arith.addi %c, %c : i32\n%q = tt.addptr %p, %c : " + pointers + ", i32\n";
    text += "%a = tt.addptr %q, %i : " + pointers + ", " + i32 + "\n%x = tt.load %a : " + pointers +
            "\n";
    text += "%z = tt.elementwise_inline_asm \"" + assembly() + "\" {constraints = \"=r,r," +
            (isPacked ? "r" : "l") + "\", packed_element = " + (isPacked ? "2" : "1") +
            " : i32, pure = false} %x, " + (isPacked ? "%x" : "%a") + " : " + x + ", " + y +
            " -> " + x + "\ntt.store %a, %z : " + pointers + "\n";
    return text + "tt.return\n}\n}\n";
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
    passes.addPass(createTritonToTile({}));
    if (mlir::succeeded(passes.run(**module)))
      ++translated;
    else
      ASSERT_NE(importer.errors().find("error: inline assembly"), std::string::npos)
          << importer.errors() << text;
    ASSERT_EQ(importer.errors().find(" op "), std::string::npos) // a verifier reports " op "
        << importer.errors() << text;
  }
  std::cout << translated << " were translated\n";
  EXPECT_GT(translated, 500);
}

} // namespace
