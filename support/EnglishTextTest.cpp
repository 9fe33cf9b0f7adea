//===- EnglishTextTest.cpp - sentences made of parts ------------------------===//
#include "support/EnglishText.h"

#include <gtest/gtest.h>

using namespace pumice;

TEST(Words, Articles) {
  EXPECT_EQ(withArticle("acceleration structure"), "an acceleration structure");
  EXPECT_EQ(withArticle("input attachment"), "an input attachment");
  EXPECT_EQ(withArticle("uniform buffer"), "a uniform buffer");
  EXPECT_EQ(withArticle("executable"), "an executable");
  EXPECT_EQ(withArticle("i32"), "an i32");
  EXPECT_EQ(withArticle("f16"), "an f16");
  EXPECT_EQ(withArticle("function"), "a function");
  EXPECT_EQ(withArticle("u8"), "a u8");
  EXPECT_EQ(withArticle("bool"), "a bool");
}

TEST(Words, Counts) {
  EXPECT_EQ(counted(0, "argument"), "0 arguments");
  EXPECT_EQ(counted(1, "argument"), "1 argument");
  EXPECT_EQ(counted(2, "argument"), "2 arguments");
  EXPECT_EQ(countedAre(1), "1 is");
  EXPECT_EQ(countedAre(0), "0 are");
  EXPECT_EQ(countedAre(1, "byte"), "1 byte is");
  EXPECT_EQ(countedAre(6, "byte"), "6 bytes are");
}
