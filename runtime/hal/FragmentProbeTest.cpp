//===- FragmentProbeTest.cpp - what the probe asks, and what it concludes ---===//
// The conformance suite runs the probe, because that needs devices.
//===-------------------------------------------------------------------------===//
#include "runtime/hal/FragmentProbe.h"

#include "executable/SpirvReflection.h"

#include <gtest/gtest.h>

using namespace pumice;
using namespace pumice::hal;

TEST(FragmentProbe, EachKindOfResultOnce) {
  std::vector<FragmentKind> kinds = fragmentKinds(
      {"16x8x16 f16 f16 f32 f32 subgroup", "16x8x8 f16 f16 f32 f32 subgroup",
       "16x16x16 f16 f16 f16 f16 subgroup", "16x16x32 s8 s8 s32 s32 subgroup saturating",
       "16x16x16 f64 f64 f64 f64 subgroup", "32x32x16 f16 f16 f32 f32 workgroup", "nonsense", ""});
  ASSERT_EQ(kinds.size(), 3u);
  EXPECT_EQ(kinds[0], (FragmentKind{16, 8, "f32"}));
  EXPECT_EQ(kinds[1], (FragmentKind{16, 16, "f16"}));
  EXPECT_EQ(kinds[2], (FragmentKind{16, 16, "s32"}));
}

TEST(FragmentProbe, ItsModuleIsRead) {
  for (const char *type : {"f16", "f32", "s32", "u32"}) {
    std::vector<uint32_t> words = fragmentProbe({16, 16, type}, 32);
    auto module = executable::reflectSpirv(
        {reinterpret_cast<const uint8_t *>(words.data()), words.size() * 4});
    ASSERT_TRUE(module.isOk()) << module.status().message();
    ASSERT_EQ(module->entryPoints.size(), 1u);
    EXPECT_EQ(module->entryPoints[0].name, "probe");
  }
}

TEST(FragmentProbe, LinearMapsAreText) {
  // This is the layout of sums on an H200: lane l has columns 2·(l mod 4) and the next one, and so
  // on.
  std::vector<uint32_t> elements;
  for (uint32_t lane = 0; lane < 32; ++lane)
    for (uint32_t c = 0; c < 8; ++c) {
      uint32_t row = 8 * (c >> 2) + lane / 4, column = 8 * (c >> 1 & 1) + 2 * (lane % 4) + (c & 1);
      elements.push_back(row * 16 + column);
    }
  EXPECT_EQ(fragmentMap({16, 16, "f32"}, 32, elements),
            "accumulator 16x16 f32 subgroup components (0,1) (0,8) (8,0) "
            "lanes (0,2) (0,4) (1,0) (2,0) (4,0)");
  std::swap(elements[17], elements[99]);
  EXPECT_EQ(fragmentMap({16, 16, "f32"}, 32, elements), "");
}

TEST(FragmentProbe, UnknownElementsGiveNoMap) {
  std::vector<uint32_t> elements(256, 256);
  EXPECT_EQ(fragmentMap({16, 16, "f32"}, 32, elements), "");
}
