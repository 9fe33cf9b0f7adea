//===- FragmentLayoutTest.cpp - checks every element of every shape ---------===//
#include "compiler/lower/subgroup/FragmentLayout.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

using namespace pumice::lower;

static const uint32_t sizes[] = {4, 8, 16, 32, 64};

template <typename Body> static void forAllLayouts(Body body) {
  for (uint32_t lanes : {1u, 4u, 8u, 16u, 32u, 64u, 128u})
    for (uint32_t rows : sizes)
      for (uint32_t cols : sizes)
        if (FragmentLayout layout{rows, cols, lanes}; layout.isValid())
          body(layout);
}

TEST(FragmentLayout, HoldsEveryElementOnce) {
  forAllLayouts([](FragmentLayout layout) {
    std::set<std::pair<uint32_t, uint32_t>> seen;
    for (uint32_t lane = 0; lane < layout.lanes; ++lane)
      for (uint32_t c = 0; c < layout.components(); ++c) {
        uint32_t row = layout.rowOf(c) + layout.rowOfLane(lane);
        uint32_t col = layout.colOf(c) + layout.colOfLane(lane);
        ASSERT_LT(row, layout.rows);
        ASSERT_LT(col, layout.cols);
        ASSERT_EQ((row * layout.cols + col) % layout.lanes, lane);
        ASSERT_EQ((row * layout.cols + col) / layout.lanes, c);
        ASSERT_TRUE(seen.insert({row, col}).second);
      }
    ASSERT_EQ(seen.size(), layout.rows * layout.cols);
  });
}

TEST(FragmentLayout, RejectsUnsupportedShapes) {
  EXPECT_FALSE((FragmentLayout{4, 4, 32}).isValid());
  EXPECT_FALSE((FragmentLayout{12, 16, 8}).isValid());
  EXPECT_TRUE((FragmentLayout{8, 8, 64}).isValid());
}

/// Runs the plan lane by lane. Each matrix element is a symbol that names its matrix and position.
static void checkProduct(const ProductPlan &plan) {
  auto position = [](FragmentLayout layout, uint32_t lane, uint32_t component) {
    return std::pair(layout.rowOf(component) + layout.rowOfLane(lane),
                     layout.colOf(component) + layout.colOfLane(lane));
  };
  for (uint32_t lane = 0; lane < plan.lanes; ++lane)
    for (uint32_t c = 0; c < plan.result().components(); ++c)
      for (uint32_t step = 0; step < plan.k; ++step) {
        auto [row, col] = position(plan.result(), lane, c);
        uint32_t element = plan.aElement(c, step), group = plan.groupOf(lane);
        uint32_t aComponent = plan.aComponent(element, group);
        uint32_t bComponent = plan.bComponent(c, step);
        ASSERT_LT(aComponent, plan.a().components());
        ASSERT_LT(bComponent, plan.b().components());
        ASSERT_EQ(position(plan.a(), plan.aLane(element, group), aComponent), std::pair(row, step));
        ASSERT_EQ(position(plan.b(), plan.bLane(step, lane), bComponent), std::pair(step, col));
        // Lanes exchange B only if a component covers several rows. The groups of A are in
        // ascending order of components.
        ASSERT_TRUE(plan.exchangesB() || plan.bLane(step, lane) == lane);
        if (group)
          ASSERT_GE(aComponent, plan.aComponent(element, group - 1));
      }
}

TEST(ProductPlan, FindsBothFactorsOfEveryProduct) {
  int plans = 0;
  for (uint32_t lanes : {1u, 4u, 8u, 16u, 32u, 64u, 128u})
    for (uint32_t m : sizes)
      for (uint32_t n : sizes)
        for (uint32_t k : {4u, 8u, 16u, 32u}) {
          ProductPlan plan{m, n, k, lanes};
          if (!plan.a().isValid() || !plan.b().isValid() || !plan.result().isValid())
            continue;
          checkProduct(plan);
          ++plans;
        }
  EXPECT_GT(plans, 400);
}
