//===- ReductionTest.cpp - reductions, executed and compared ----------------===//
#include "compiler/dialect/tile/plan/Reduction.h"
#include "compiler/dialect/tile/layout/LayoutText.h"
#include "compiler/dialect/tile/layout/TensorLayout.h"
#include "compiler/dialect/tile/testing/RandomLayouts.h"
#include "compiler/dialect/tile/testing/Simulator.h"

#include <numeric>

using namespace pumice;
using namespace pumice::tile;
using namespace pumice::tile::testing;

/// Makes each element a power of a base. The sum of a row then shows how often it contains each
/// element, which must be once.
static std::vector<int> distinctElements(const LinearLayout &layout, unsigned dimension) {
  Field along = layout.output(dimension);
  std::vector<int> values(size_t(1) << layout.outputBits());
  for (uint64_t element = 0; element < values.size(); ++element)
    values[element] = static_cast<int>((element & ~along.mask()) * 64 + (1 << along.of(element)));
  return values;
}

static Registers<int> execute(const Reduction &plan, const Registers<int> &source,
                              unsigned elementBytes) {
  Registers<int> partial(source.subgroups, source.lanes,
                         static_cast<unsigned>(plan.registers.size()));
  for (unsigned subgroup = 0; subgroup < source.subgroups; ++subgroup)
    for (unsigned lane = 0; lane < source.lanes; ++lane)
      for (unsigned reg = 0; reg < partial.count; ++reg)
        for (uint64_t from : plan.registers[reg])
          partial.at(subgroup, lane, reg) += source.at(subgroup, lane, from);
  for (const Reduction::Step &step : plan.steps) {
    Registers<int> before = partial;
    for (unsigned subgroup = 0; subgroup < source.subgroups; ++subgroup)
      for (unsigned lane = 0; lane < source.lanes; ++lane)
        for (unsigned reg = 0; reg < partial.count; ++reg)
          partial.at(subgroup, lane, reg) +=
              before.at(subgroup, lane ^ step.laneXor, reg ^ step.registerXor);
  }
  if (!plan.across)
    return partial;
  Registers<int> arrived = execute(plan.across->conversion, partial, plan.across->to, elementBytes);
  for (int &value : partial.values)
    value = 0;
  for (unsigned subgroup = 0; subgroup < source.subgroups; ++subgroup)
    for (unsigned lane = 0; lane < source.lanes; ++lane)
      for (unsigned reg = 0; reg < arrived.count; ++reg)
        partial.at(subgroup, lane, reg / plan.partialResults) += arrived.at(subgroup, lane, reg);
  return partial;
}

static Reduction check(const LinearLayout &layout, unsigned dimension, unsigned elementBytes = 4) {
  SCOPED_TRACE(print(layout) + " along " + std::to_string(dimension));
  Reduction plan = valueOf(planReduction(layout, dimension, elementBytes));
  std::vector<int> values = distinctElements(layout, dimension);
  std::vector<int> expected(size_t(1) << plan.result.outputBits());
  std::vector<Space> rest = layout.outputs();
  rest.erase(rest.begin() + dimension);
  for (uint64_t element = 0; element < values.size(); ++element) {
    std::vector<uint64_t> at = coordinatesOf(layout.outputs(), element);
    at.erase(at.begin() + dimension);
    expected[pointOf(rest, at)] += values[element];
  }
  Registers<int> reduced = execute(plan, distribute(layout, values), elementBytes);
  EXPECT_EQ(reduced.values, distribute(plan.result, expected).values) << describe(plan);
  return plan;
}

TEST(Reduction, CombinesEachElementOnce) {
  int lanes = 0, subgroups = 0;
  forSeeds(20000, [&](RandomLayouts &random) {
    // There are at most 16 elements along the dimension, since their powers of two must fit in an
    // int.
    std::vector<unsigned> dimensions = random.dimensions(1 + random.upTo(2), random.upTo(6));
    unsigned axis = random.upTo(static_cast<unsigned>(dimensions.size()) - 1);
    dimensions[axis] = std::min(dimensions[axis], 4u);
    LinearLayout layout = random.tensor(dimensions, random.upTo(3), random.upTo(2), random.upTo(2));
    Reduction plan = check(layout, axis);
    lanes += !plan.steps.empty();
    subgroups += plan.across.has_value();
    // The plan must not have more steps than halving the dimension needs.
    size_t bits = static_cast<size_t>(std::countr_zero(plan.registers[0].size())) +
                  plan.steps.size() + static_cast<size_t>(std::countr_zero(plan.partialResults));
    EXPECT_EQ(bits, dimensions[axis]);
  });
  EXPECT_GT(lanes, 2000);
  EXPECT_GT(subgroups, 2000);
}

TEST(Reduction, ReducesLayoutsOfRealKernels) {
  auto described = [](const LinearLayout &layout, unsigned dimension) {
    return describe(check(layout, dimension));
  };
  // The layout of softmax on a CPU: one row, one subgroup.
  EXPECT_EQ(described(valueOf(consecutive(std::vector<uint64_t>{1, 16}, 8)), 1),
            "registers: 2 to 1; shuffles: 3 steps");
  // The layout of rows and columns of a block that four subgroups hold.
  LinearLayout block =
      valueOf(blocked(std::vector<uint64_t>{16, 16}, {{1, 4}, {2, 4}, {4, 1}, {1, 0}}));
  EXPECT_EQ(described(block, 1), "registers: 8 to 2; shuffles: 2 steps");
  EXPECT_EQ(
      described(block, 0),
      "registers: 8 to 4; shuffles: 1 step; 4 partial results by workgroup memory: 256 bytes, "
      "1 piece; stores 1 vector of 4, no bank conflicts; loads 4 vectors of 4, no bank conflicts");
  // The layout of a matrix product's fragments, which softmax between two products reduces by rows.
  LinearLayout fragment =
      valueOf(parseLayout("[16, 16], register = [[0, 1], [0, 8], [8, 0]], "
                          "lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], subgroup = []"));
  EXPECT_EQ(described(fragment, 1), "registers: 8 to 2; shuffles: 2 steps");
  EXPECT_EQ(described(fragment, 0), "registers: 8 to 4; shuffles: 3 steps");
}

TEST(Reduction, ReducesAxesOfSizeTwoCheaply) {
  // This is the shape of the reductions in tl.sort and topk.
  LinearLayout layout = valueOf(consecutive(std::vector<uint64_t>{2, 2, 2, 2, 2}, 4));
  EXPECT_EQ(describe(check(layout, 0)), "registers: 8 to 4");
  EXPECT_EQ(describe(check(layout, 4)), "registers: 8 to 8; shuffles: 1 step");
}

TEST(Reduction, RejectsMissingDimensions) {
  LinearLayout layout = valueOf(consecutive(std::vector<uint64_t>{8}, 4));
  EXPECT_EQ(failureOf(planReduction(layout, 1, 4)),
            "there is no dimension 1 in [8], register = [4], lane = [1, 2], subgroup = []");
}
