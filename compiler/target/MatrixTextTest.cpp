//===- MatrixTextTest.cpp - cooperative-matrix shapes and maps as text ------===//
#include "compiler/target/MatrixText.h"

#include <gtest/gtest.h>

using namespace pumice;
using namespace pumice::target;

/// The map that was measured on an NVIDIA H200. Component c of lane l is in row 8·c₂ + l/4 and
/// column 8·c₁ + 2·(l mod 4) + c₀.
static constexpr const char *h200Accumulator = "accumulator 16x16 f32 subgroup components (0,1) "
                                               "(0,8) (8,0) lanes (0,2) (0,4) (1,0) (2,0) (4,0)";

TEST(MatrixText, ShapesRoundTrip) {
  for (const char *text : {"16x16x16 f16 f16 f32 f32 subgroup", "8x16x32 u8 s8 s32 s32 workgroup",
                           "16x16x32 s8 s8 s32 s32 subgroup saturating"}) {
    Result<CooperativeMatrixShape> shape = parseMatrixShape(text);
    ASSERT_TRUE(shape.isOk()) << shape.status().message();
    EXPECT_EQ(toString(*shape), text);
    EXPECT_TRUE(verify(*shape).isOk());
  }
}

TEST(MatrixText, BadShapesAreExplained) {
  for (auto [text, reason] :
       {std::pair("16x16 f16 f16 f32 f32 subgroup", "reads like"),
        {"16x16x16 f16 f16 f32 subgroup", "reads like"},
        {"16x16x16 f16 f16 f32 i32 subgroup", "'i32' is not a component type"},
        {"16x16x16 f16 f16 f32 f32 wave", "'wave' is not a scope"},
        {"16x16x99999999999 f16 f16 f32 f32 subgroup", "reads like"},
        {"16x16x16 f16 f16 f32 f32 subgroup always", "reads like"},
        {"", "reads like"}}) {
    Result<CooperativeMatrixShape> shape = parseMatrixShape(text);
    ASSERT_FALSE(shape.isOk()) << text;
    EXPECT_NE(shape.status().message().find(reason), std::string::npos) << shape.status().message();
  }
  CooperativeMatrixShape empty;
  EXPECT_FALSE(verify(empty).isOk());
}

TEST(MatrixText, FragmentMapsRoundTrip) {
  Result<FragmentMap> map = parseFragmentMap(h200Accumulator);
  ASSERT_TRUE(map.isOk()) << map.status().message();
  EXPECT_EQ(map->components.size(), 3u);
  EXPECT_EQ(map->lanes.size(), 5u);
  EXPECT_EQ(toString(*map), h200Accumulator);
  EXPECT_TRUE(verify(*map).isOk());
}

TEST(MatrixText, MapsMustReachEveryElement) {
  Result<FragmentMap> map = parseFragmentMap(
      "accumulator 16x16 f32 subgroup components (0,1) (0,8) (8,0) lanes (0,2) (0,4) (1,0) (2,0)");
  ASSERT_TRUE(map.isOk());
  EXPECT_NE(verify(*map).message().find("reach 128 of 256"), std::string::npos);
  map = parseFragmentMap("a 4x4 f16 subgroup components (0,4) lanes (1,0)");
  ASSERT_TRUE(map.isOk());
  EXPECT_NE(verify(*map).message().find("(0,4) lies outside"), std::string::npos);
  for (const char *text :
       {"accumulator 16x16 f32 subgroup", "c 2x2 f32 subgroup components lanes",
        "a 2x2 f32 subgroup components (1) lanes", "a 2x2 f32 subgroup components (1,0) (0,1)"})
    EXPECT_FALSE(parseFragmentMap(text).isOk()) << text;
}
