//===- ProductFragmentsTest.cpp - products as grids of measured fragments ---===//
#include "compiler/dialect/tile/layout/ProductFragments.h"
#include "compiler/dialect/tile/layout/LayoutAlgebra.h"
#include "compiler/dialect/tile/layout/LayoutText.h"
#include "compiler/dialect/tile/testing/RandomLayouts.h"
#include "compiler/target/MatrixText.h"

#include <set>

using namespace pumice;
using namespace pumice::tile;
using namespace pumice::tile::testing;
using target::ComponentType;

namespace {

const ProductTypes halves{ComponentType::f16, ComponentType::f16, ComponentType::f32};

/// Returns a target with the f16 shapes and the measured map of an H200.
target::TargetEnv measured() {
  target::TargetEnv env;
  for (const char *shape : {"16x8x16 f16 f16 f32 f32 subgroup", "16x16x16 f16 f16 f32 f32 subgroup",
                            "16x16x16 f16 f16 f16 f16 subgroup"})
    env.cooperativeMatrices.push_back(valueOf(target::parseMatrixShape(shape)));
  env.fragmentMaps.push_back(valueOf(
      target::parseFragmentMap("accumulator 16x16 f32 subgroup components (0,1) (0,8) (8,0) "
                               "lanes (0,2) (0,4) (1,0) (2,0) (4,0)")));
  return env;
}

} // namespace

TEST(ProductFragments, TheLargestMeasuredShapeIsTaken) {
  target::TargetEnv env = measured();
  auto fragment = productFragment(env, halves, {64, 32, 48}, 32);
  ASSERT_TRUE(fragment);
  EXPECT_EQ(fragment->shape.rows, 16u);
  EXPECT_EQ(fragment->shape.columns, 16u);
  EXPECT_EQ(fragment->shape.depth, 16u);
  // The shape for sums of f16 has no measured map. No shape has the other types.
  EXPECT_FALSE(productFragment(env, {ComponentType::f16, ComponentType::f16, ComponentType::f16},
                               {64, 64, 64}, 32));
  EXPECT_FALSE(productFragment(env, {ComponentType::bf16, ComponentType::bf16, ComponentType::f32},
                               {64, 64, 64}, 32));
  // Factors of bf16 are stored as bits, in memory of 16-bit integers, if the target has that.
  const ProductTypes brains{ComponentType::bf16, ComponentType::bf16, ComponentType::f32};
  env.cooperativeMatrices.push_back(
      valueOf(target::parseMatrixShape("16x16x16 bf16 bf16 f32 f32 subgroup")));
  EXPECT_FALSE(productFragment(env, brains, {64, 64, 64}, 32));
  env.set(target::Feature::shaderInt16);
  EXPECT_TRUE(productFragment(env, brains, {64, 64, 64}, 32));
  EXPECT_FALSE(productFragment(env, halves, {64, 64, 64}, 16));
  EXPECT_FALSE(productFragment(env, halves, {8, 64, 64}, 32));
  EXPECT_FALSE(productFragment(env, halves, {64, 64, 8}, 32));
  env.cooperativeMatrices[1].scope = target::MatrixScope::Workgroup;
  EXPECT_FALSE(productFragment(env, halves, {64, 64, 64}, 32));
}

TEST(ProductFragments, SubgroupsHavePartsThatAreAsSquareAsCanBe) {
  auto fragment = *productFragment(measured(), halves, {128, 256, 32}, 32);
  auto partOf = [&](ProductShape product, uint64_t subgroups, bool wholeRows = false) {
    LinearLayout layout = valueOf(fragmentedLayout(fragment, product, subgroups, wholeRows));
    std::set<uint64_t> rows, columns;
    for (uint64_t reg = 0; reg < layout.input(registerSpace).bits; ++reg) {
      auto image = layout.columns(registerSpace)[reg];
      rows.insert(layout.output("dim0").of(image));
      columns.insert(layout.output("dim1").of(image));
    }
    return std::pair{2 * *rows.rbegin(), 2 * *columns.rbegin()};
  };
  EXPECT_FALSE(fragmentedLayout(fragment, {128, 256, 32}, 1).isOk()); // 1024 registers in a lane
  EXPECT_FALSE(fragmentedLayout(fragment, {128, 256, 32}, 2).isOk());
  EXPECT_EQ(partOf({64, 128, 32}, 1), std::pair(uint64_t{64}, uint64_t{128}));
  EXPECT_EQ(partOf({128, 256, 32}, 8), std::pair(uint64_t{64}, uint64_t{64}));
  EXPECT_EQ(partOf({256, 64, 32}, 8), std::pair(uint64_t{32}, uint64_t{64}));
  EXPECT_EQ(partOf({128, 256, 32}, 8, true), std::pair(uint64_t{16}, uint64_t{256}));
  EXPECT_EQ(partOf({64, 256, 32}, 8, true), std::pair(uint64_t{16}, uint64_t{128}));
}

TEST(ProductFragments, EveryElementIsHeldByOneFragmentOfOneSubgroup) {
  auto fragment = *productFragment(measured(), halves, {64, 64, 16}, 32);
  for (auto [rows, columns, subgroups] :
       {std::tuple{16u, 16u, 1u}, {64u, 32u, 4u}, {32u, 128u, 2u}, {16u, 16u, 4u}}) {
    LinearLayout layout = valueOf(fragmentedLayout(fragment, {rows, columns, 16}, subgroups));
    SCOPED_TRACE(print(layout));
    EXPECT_TRUE(layout.isSurjective());
    LinearLayout fragments = valueOf(fragmentsOf(layout, fragment));
    uint64_t components = uint64_t(1) << fragment.result.input(registerSpace).bits;
    for (uint64_t point = 0; point >> layout.inputBits() == 0; ++point) {
      uint64_t reg = layout.input(registerSpace).of(point),
               lane = layout.input(laneSpace).of(point),
               subgroup = layout.input(subgroupSpace).of(point);
      uint64_t corner = fragments(fragments.input(registerSpace).at(reg / components) |
                                  fragments.input(subgroupSpace).at(subgroup));
      auto within = fragment.result.at(std::vector<uint64_t>{reg % components, lane, 0});
      auto element = coordinatesOf(layout.outputs(), layout(point));
      for (unsigned d : {0u, 1u})
        EXPECT_EQ(element[d], fragments.output(dimensionName(d)).of(corner) * 16 + within[d]);
    }
  }
  LinearLayout rows =
      valueOf(parseLayout("[16, 32], register = [[1, 0], [2, 0], [4, 0], [8, 0]], "
                          "lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], subgroup = []"));
  EXPECT_FALSE(fragmentsOf(rows, fragment).isOk());
}
