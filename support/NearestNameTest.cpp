//===- NearestNameTest.cpp - "did you mean" ---------------------------------===//
#include "support/NearestName.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

using namespace pumice;

TEST(NearestName, ForgivesSlipsOnly) {
  std::vector<std::string_view> names = {"subgroupSize", "shaderInt64"};
  EXPECT_EQ(nearestName("subgroupsize", names), "subgroupSize");
  EXPECT_EQ(nearestName("shaderInt46", names), "shaderInt64");
  EXPECT_EQ(nearestName("teapot", names), "");
  EXPECT_EQ(nearestName("", names), "");
  EXPECT_EQ(nearestName("x", {}), "");
}

TEST(NearestName, IgnoresLongText) {
  std::string text(100000, 's');
  std::vector<std::string_view> names = {"subgroupSize"};
  EXPECT_EQ(nearestName(text, names), "");
}
