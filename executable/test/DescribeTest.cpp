//===- DescribeTest.cpp - what people see of an executable ------------------===//
#include "executable/test/Samples.h"

#include <gtest/gtest.h>

using namespace pumice::executable;

static void expectLine(const std::string &text, const std::string &line) {
  EXPECT_NE(text.find("\n" + line + "\n"), std::string::npos) << line << "\nis not in\n" << text;
}

TEST(Describe, EntryPoints) {
  std::string text = describe(test::realistic());
  EXPECT_TRUE(text.starts_with("2 entry points, 4 variants, made by pumice 0.1.0\n"));
  expectLine(text, "entry point softmax_kernel");
  expectLine(text, "  source        softmax.py:12:3");
  expectLine(text, "  workgroup     128 x 1 x 1");
  expectLine(text, "    0  output    buffer ? x 1024 x f32                      write     16");
  expectLine(text, "    1  input     buffer ? x 1024 x f32, strides ? 1 from ?  read      16");
  expectLine(text, "    2  rows      i32                                        by value");
  expectLine(text, "    0       \"row %d: max %f\\n\"  i32, f32");
  expectLine(text, "  workgroup     ? x ? x 1");
  expectLine(text, "  memory        8192 bytes and what the launch adds");
}

TEST(Describe, Variants) {
  std::string text = describe(test::realistic());
  expectLine(text, "variant 0: vulkan-spirv for rdna3");
  expectLine(text, "  requires      Vulkan 1.3");
  expectLine(text, "  subgroups     basic, vote, arithmetic, shuffle");
  expectLine(text, "  softmax_kernel is 'main' in the code");
  expectLine(text, "    subgroups     64 lanes, all full");
  expectLine(text, "    subgroups     16 lanes or more");
  expectLine(text, "    parameters    72 bytes in a buffer whose address is the push constant");
  expectLine(text, "      16      8      address of the printf buffer");
  expectLine(text, "      40      8      extent 0 of output");
  expectLine(text, "      0    2        the parameter block");
}

TEST(Describe, ControlCharactersDoNotReachTheTerminal) {
  Executable contents = test::realistic();
  contents.producer = "\x1b[31mred\x7f";
  EXPECT_TRUE(describe(contents).find("made by \\x1b[31mred\\x7f\n") != std::string::npos);
}
