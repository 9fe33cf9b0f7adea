//===- ImportErrorsTest.cpp - checks that errors name Python lines ----------===//
// Imports kernels with one wrong line, and checks every reported error. Lit tests of the dialect
// check the errors of its verifiers.
//===-------------------------------------------------------------------------===//
#include "compiler/import/triton/testing/TritonTexts.h"

#include <gtest/gtest.h>

using namespace pumice::triton;

namespace {

/// Returns a kernel in the form in which Triton's wheel prints it. `line` is at softmax.py:7:16.
std::string kernelWith(const std::string &line) {
  return "#loc = loc(\"softmax.py\":3:0)\n"
         "module {\n"
         "  tt.func public @k(%x: !tt.ptr<f32> loc(\"x\"(#loc)), %n: i32 loc(\"n\"(#loc))) "
         "attributes {noinline = false} {\n" +
         line +
         "\n    tt.return loc(#loc)\n"
         "  } loc(#loc)\n"
         "} loc(#loc)\n"
         "#loc1 = loc(\"softmax.py\":7:16)\n"
         "#loc2 = loc(\"v\"(#loc1))\n";
}

struct Wrong {
  const char *name, *line, *errors;
};

void PrintTo(const Wrong &wrong, std::ostream *out) { *out << wrong.name; }

class ImportErrors : public testing::TestWithParam<Wrong> {};

TEST_P(ImportErrors, AtThePythonLine) {
  TextImporter importer;
  EXPECT_TRUE(mlir::failed(importer.import(kernelWith(GetParam().line))));
  EXPECT_EQ(importer.errors(), GetParam().errors);
}

const Wrong wrong[] = {
    {"LaterStage", "    %v = ttg.local_alloc %n : (i32) -> i32 loc(#loc2)",
     "softmax.py:7:16: error: unsupported 'ttg.local_alloc': it belongs to one kind of GPU and to "
     "stages after TTIR; give Pumice the TTIR of a kernel in plain triton.language\n"
     "  kernel.ttir:4:10: note: in the kernel's TTIR\n"},
    {"GenericForm", "    %v = \"ttng.wait\"(%n) : (i32) -> i32 loc(#loc2)",
     "softmax.py:7:16: error: unsupported 'ttng.wait': it belongs to one kind of GPU and to stages "
     "after TTIR; give Pumice the TTIR of a kernel in plain triton.language\n"
     "  kernel.ttir:4:10: note: in the kernel's TTIR\n"},
    {"Layout", "    %v = arith.constant dense<0> : tensor<4xi32, #ttg.slice<{}>> loc(#loc2)",
     "softmax.py:7:16: error: unsupported '#ttg.slice': it belongs to one kind of GPU and to "
     "stages "
     "after TTIR; give Pumice the TTIR of a kernel in plain triton.language\n"
     "  kernel.ttir:4:51: note: in the kernel's TTIR\n"},
    {"OtherDialect", "    %v = memref.alloc() : memref<4xf32> loc(#loc2)",
     "softmax.py:7:16: error: unsupported 'memref.alloc': docs/triton-ir.md lists what a kernel "
     "may "
     "hold\n  kernel.ttir:4:10: note: in the kernel's TTIR\n"},
    {"WithARegion", "    ttg.warp_specialize {\n      scf.yield loc(#loc)\n    } loc(#loc2)",
     "softmax.py:7:16: error: unsupported 'ttg.warp_specialize': it belongs to one kind of GPU and "
     "to stages after TTIR; give Pumice the TTIR of a kernel in plain triton.language\n"
     "  kernel.ttir:4:5: note: in the kernel's TTIR\n"},
    {"WithoutALocation", "    %v = ttg.local_alloc %n : (i32) -> i32",
     "kernel.ttir:4:10: error: unsupported 'ttg.local_alloc': it belongs to one kind of GPU and to "
     "stages after TTIR; give Pumice the TTIR of a kernel in plain triton.language\n"},
    {"OperationOfTriton", "    %v = tt.advance %x, [%n] : !tt.ptr<f32> loc(#loc2)",
     "softmax.py:7:16: error: unsupported 'tt.advance': block pointers must be removed by "
     "Triton's pass rewrite_tensor_pointer: run it first\n"
     "  kernel.ttir:4:10: note: in the kernel's TTIR\n"},
    {"UnknownOperation", "    %v = arith.exp %n : i32 loc(#loc2)",
     "softmax.py:7:16: error: unsupported 'arith.exp': docs/triton-ir.md lists what a kernel may "
     "hold\n  kernel.ttir:4:10: note: in the kernel's TTIR\n"},
    {"OtherOperationOfAKnownDialect",
     "    scf.execute_region {\n      scf.yield loc(#loc)\n    } loc(#loc2)",
     "softmax.py:7:16: error: unsupported operation 'scf.execute_region'; docs/triton-ir.md lists "
     "what a kernel may hold\n"},
    {"Verifier",
     "    %v = tt.make_range {end = 3 : i32, start = 0 : i32} : tensor<3xi32> loc(#loc2)",
     "softmax.py:7:16: error: 'tt.make_range' op expected dimensions that are powers of two, got 3 "
     "in "
     "'tensor<3xi32>'; use the next power of two and a mask\n"},
    {"TensorOfAnotherDialect", "    %v = arith.constant dense<1.0> : tensor<3xf32> loc(#loc2)",
     "softmax.py:7:16: error: 'arith.constant' op expected dimensions that are powers of two, got "
     "3 in "
     "'tensor<3xf32>'; use the next power of two and a mask\n"},
    {"Type", "    %v = arith.constant 1.0 : f80 loc(#loc2)",
     "softmax.py:7:16: error: unsupported value of type 'f80'; kernels have integers of 1 to 64 "
     "bits, "
     "floats of 8 to 64 bits, pointers, tensors of these, and tensor descriptors\n"},
    {"BlockPointer", "    %v = arith.constant 1.0 : !tt.ptr<tensor<4xf32>> loc(#loc2)",
     "softmax.py:7:16: error: a pointer to a block, 'tensor<4xf32>', must be removed by Triton's "
     "pass rewrite_tensor_pointer: run it first\n"
     "  kernel.ttir:4:38: note: in the kernel's TTIR\n"},
    {"Syntax", "    %v = arith.addi %n : i32 loc(#loc2)",
     "softmax.py:7:16: error: expected ','\n  kernel.ttir:4:23: note: in the kernel's TTIR\n"},
};

INSTANTIATE_TEST_SUITE_P(Kernel, ImportErrors, testing::ValuesIn(wrong),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(ImportErrors, WholeModules) {
  TextImporter importer;
  EXPECT_TRUE(mlir::failed(importer.import("module {\n  func.func private @f()\n}\n")));
  EXPECT_EQ(importer.errors(), "kernel.ttir:2:3: error: unsupported 'func.func': docs/triton-ir.md "
                               "lists what a kernel may hold\n");
  EXPECT_TRUE(
      mlir::failed(importer.import("module attributes {\"ttg.num-warps\" = 4 : i32} {}\n")));
  EXPECT_EQ(
      importer.errors(),
      "kernel.ttir:1:20: error: unsupported 'ttg.num-warps': it belongs to one kind of GPU and "
      "to stages after TTIR; give Pumice the TTIR of a kernel in plain triton.language\n");
  EXPECT_TRUE(mlir::failed(importer.import("module {\n  module {}\n}\n")));
  EXPECT_EQ(importer.errors(), "kernel.ttir:2:3: error: unsupported 'builtin.module' outside of "
                               "functions; a kernel's module may contain only tt.func\n");
  EXPECT_TRUE(
      mlir::failed(importer.import("module {\n  tt.func private @f() {\n    tt.return\n  }\n}\n")));
  EXPECT_EQ(importer.errors(),
            "kernel.ttir:1:1: error: no kernel: the module has no public tt.func\n");
}

/// Accepts names that only look like those of other dialects.
TEST(ImportErrors, NoForeignNames) {
  TextImporter importer;
  EXPECT_TRUE(mlir::succeeded(importer.import(kernelWith(
      "    tt.print \" ttg.x: \" {hex = false, isSigned = array<i32>} loc(\"a.b\"(#loc)) // "
      "ttg.x\n"
      "    tt.call @ttg.f() : () -> () loc(#loc1)\n    tt.return loc(#loc1)\n  } loc(#loc)\n"
      "  tt.func private @ttg.f() attributes {noinline = true} {"))))
      << importer.errors();
}

} // namespace
