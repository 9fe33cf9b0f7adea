//===- TensorLayoutTest.cpp - reshapes tensors without moving elements ------===//
// A layout says which element each place holds. A free operation must leave every element in its
// place. The new layout must give this element its new coordinates.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/tile/layout/TensorLayout.h"
#include "compiler/dialect/tile/layout/LayoutAlgebra.h"
#include "compiler/dialect/tile/layout/LayoutText.h"
#include "compiler/dialect/tile/layout/MeasuredLayout.h"
#include "compiler/dialect/tile/testing/RandomLayouts.h"
#include "compiler/target/MatrixText.h"

#include <set>

using namespace pumice;
using namespace pumice::tile;
using namespace pumice::tile::testing;

using Coordinates = std::vector<uint64_t>;

/// Returns a random layout of one to three dimensions that holds all elements of a tensor.
static LinearLayout someTensor(RandomLayouts &random) {
  return random.tensor(random.dimensions(1 + random.upTo(2), random.upTo(6)), random.upTo(3),
                       random.upTo(1), random.upTo(2));
}

static std::vector<uint64_t> shapeOf(const LinearLayout &layout) {
  std::vector<uint64_t> shape;
  for (const Space &space : layout.outputs())
    shape.push_back(space.size());
  return shape;
}

static Coordinates held(const LinearLayout &layout, uint64_t point) {
  return coordinatesOf(layout.outputs(), layout(point));
}

TEST(TensorLayout, ReshapeKeepsTheOrderOfElements) {
  forSeeds(500, [](RandomLayouts &random) {
    LinearLayout layout = someTensor(random);
    std::vector<unsigned> bits = random.dimensions(1 + random.upTo(3), layout.outputBits());
    std::vector<uint64_t> shape;
    for (unsigned b : bits)
      shape.push_back(uint64_t(1) << b);
    LinearLayout result = valueOf(reshape(layout, shape));
    EXPECT_EQ(shapeOf(result), shape);
    for (uint64_t point = 0; point >> layout.inputBits() == 0; ++point) {
      auto rowMajor = [](const Coordinates &at, const std::vector<uint64_t> &sizes) {
        uint64_t number = 0;
        for (size_t d = 0; d < at.size(); ++d)
          number = number * sizes[d] + at[d];
        return number;
      };
      EXPECT_EQ(rowMajor(held(result, point), shape),
                rowMajor(held(layout, point), shapeOf(layout)));
    }
  });
  LinearLayout layout = valueOf(parseLayout("[4], register = [1, 2]"));
  EXPECT_EQ(failureOf(reshape(layout, std::vector<uint64_t>{8})),
            "[4], register = [1, 2] has 4 elements; the new shape has 2^3");
}

TEST(TensorLayout, TransposeMovesCoordinates) {
  forSeeds(500, [](RandomLayouts &random) {
    LinearLayout layout = someTensor(random);
    std::vector<unsigned> order;
    for (unsigned d = 0; d < layout.outputs().size(); ++d)
      order.push_back(d);
    random.shuffle(order);
    LinearLayout result = valueOf(transpose(layout, order));
    for (uint64_t point = 0; point >> layout.inputBits() == 0; ++point)
      for (size_t d = 0; d < order.size(); ++d)
        EXPECT_EQ(held(result, point)[d], held(layout, point)[order[d]]);
  });
  LinearLayout layout = valueOf(parseLayout("[2, 2], register = [[0, 1], [1, 0]]"));
  EXPECT_EQ(failureOf(transpose(layout, std::vector<unsigned>{0, 0})),
            "the order of a transposition does not name each dimension of [2, 2], register = "
            "[[0, 1], [1, 0]] once");
}

TEST(TensorLayout, BroadcastAndBack) {
  forSeeds(500, [](RandomLayouts &random) {
    LinearLayout layout = someTensor(random);
    unsigned axis = random.upTo(static_cast<unsigned>(layout.outputs().size()));
    LinearLayout expanded = valueOf(expandDims(layout, axis));
    LinearLayout wide = valueOf(broadcast(expanded, axis, 4));
    EXPECT_TRUE(wide.isSurjective());
    uint64_t registers = layout.input(registerSpace).bits;
    for (uint64_t point = 0; point >> wide.inputBits() == 0; ++point) {
      auto place = coordinatesOf(wide.inputs(), point);
      place[0] &= (uint64_t(1) << registers) - 1;
      Coordinates element = held(wide, point);
      element.erase(element.begin() + axis);
      EXPECT_EQ(element, layout.at(place));
    }
    // The operand's layout must be the original one without its repeated elements.
    LinearLayout before = valueOf(beforeBroadcast(wide, axis));
    EXPECT_EQ(before, valueOf(withoutFreeRegisters(expanded)));
  });
  LinearLayout layout = valueOf(parseLayout("[4], register = [1, 2]"));
  EXPECT_EQ(failureOf(broadcast(layout, 0, 8)),
            "dimension 0 of [4], register = [1, 2] is not of size 1");
  EXPECT_EQ(failureOf(expandDims(layout, 2)), "there is no dimension 2 in [4], register = [1, 2]");
}

TEST(TensorLayout, RemovedDimensionsKeepEveryResult) {
  forSeeds(500, [](RandomLayouts &random) {
    LinearLayout layout = someTensor(random);
    unsigned axis = random.upTo(static_cast<unsigned>(layout.outputs().size()) - 1);
    LinearLayout result = valueOf(removeDimension(layout, axis));
    EXPECT_TRUE(result.isSurjective());
    EXPECT_EQ(freeBits(result)[0], 0u);
    // Each lane that held a part of a row must hold the row's result.
    auto parts = [&](const LinearLayout &of, bool cut) {
      std::set<std::pair<Coordinates, Coordinates>> all;
      for (uint64_t point = 0; point >> of.inputBits() == 0; ++point) {
        Coordinates place = coordinatesOf(of.inputs(), point), element = held(of, point);
        place[0] = 0;
        if (cut)
          element.erase(element.begin() + axis);
        all.insert({place, element});
      }
      return all;
    };
    EXPECT_EQ(parts(result, false), parts(layout, true));
  });
}

TEST(TensorLayout, JoinsSplitsAndConcatenates) {
  forSeeds(500, [](RandomLayouts &random) {
    LinearLayout layout = someTensor(random);
    LinearLayout pair = valueOf(join(layout)), rows = valueOf(concatenate(layout));
    uint64_t count = layout.input(registerSpace).bits;
    for (uint64_t point = 0; point >> pair.inputBits() == 0; ++point) {
      auto place = coordinatesOf(pair.inputs(), point), old = place;
      old[0] >>= 1;
      Coordinates expected = layout.at(old);
      expected.push_back(place[0] & 1);
      EXPECT_EQ(pair.at(place), expected);
      old[0] = place[0] & ((uint64_t(1) << count) - 1);
      expected = layout.at(old);
      expected[0] += (place[0] >> count) * layout.outputs()[0].size();
      EXPECT_EQ(rows.at(place), expected);
    }
    EXPECT_EQ(valueOf(split(pair)), layout);
    EXPECT_EQ(valueOf(splitBit(pair)), 0u);
  });
}

TEST(TensorLayout, NamesTheLayoutToConvertToBeforeASplit) {
  int refused = 0;
  forSeeds(500, [&](RandomLayouts &random) {
    std::vector<unsigned> dimensions = random.dimensions(1 + random.upTo(1), random.upTo(5));
    dimensions.push_back(1);
    LinearLayout layout = random.tensor(dimensions, 2, 1, 0);
    LinearLayout ready = valueOf(beforeSplit(layout));
    EXPECT_TRUE(ready.isSurjective());
    EXPECT_TRUE(split(ready).isOk());
    refused += !split(layout).isOk();
  });
  EXPECT_GT(refused, 100);
  EXPECT_EQ(failureOf(split(valueOf(parseLayout("[4], register = [1, 2]")))),
            "the last dimension of [4], register = [1, 2] is not of size 2");
  EXPECT_EQ(
      failureOf(split(valueOf(parseLayout("[2, 2], register = [[1, 0]], lane = [[0, 1]]")))),
      "the last dimension of [2, 2], register = [[1, 0]], lane = [[0, 1]] is not in a register "
      "bit of its own");
}

TEST(TensorLayout, BlocksLikeAGpu) {
  const uint64_t shape[] = {16, 64};
  LinearLayout layout = valueOf(blocked(shape, {{1, 4}, {4, 8}, {2, 1}, {1, 0}}));
  EXPECT_EQ(print(layout), "[16, 64], register = [[0, 1], [0, 2], [0, 32], [8, 0]], "
                           "lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], subgroup = [[4, 0]]");
  // If a tensor is smaller than the block, several lanes hold an element, but no lane holds it
  // twice.
  const uint64_t small[] = {2, 8};
  EXPECT_EQ(print(valueOf(blocked(small, {{1, 4}, {4, 8}, {2, 1}, {1, 0}}))),
            "[2, 8], register = [[0, 1], [0, 2]], "
            "lane = [[0, 4], [0, 0], [0, 0], [1, 0], [0, 0]], subgroup = [[0, 0]]");
  EXPECT_EQ(failureOf(blocked(shape, {{1, 3}, {4, 8}, {2, 1}, {1, 0}})),
            "a lane's part is 3; layout sizes must be powers of two");
  EXPECT_EQ(failureOf(blocked(shape, {{1}, {4, 8}, {2, 1}, {1, 0}})),
            "a blocking of 1 dimensions for a tensor of 2");
  EXPECT_EQ(failureOf(blocked(shape, {{1, 1}, {4, 8}, {2, 1}, {1, 1}})),
            "the order of a blocking does not name dimension 0");
}

TEST(TensorLayout, LaysOutLanesLikeACpu) {
  const uint64_t shape[] = {4, 16};
  LinearLayout layout = valueOf(consecutive(shape, 8));
  EXPECT_EQ(print(layout), "[4, 16], register = [[0, 8], [1, 0], [2, 0]], "
                           "lane = [[0, 1], [0, 2], [0, 4]], subgroup = []");
  for (uint64_t element = 0; element < 64; ++element)
    EXPECT_EQ(layout.at(std::vector<uint64_t>{element / 8, element % 8, 0}),
              (Coordinates{element / 16, element % 16}));
  EXPECT_EQ(print(valueOf(consecutive(shape, 8, 2))),
            "[4, 16], register = [[0, 1], [1, 0], [2, 0]], "
            "lane = [[0, 2], [0, 4], [0, 8]], subgroup = []");
}

TEST(MeasuredLayout, IsTheFragmentOfADevice) {
  // The f32 16×16 accumulator of an H200: row = 8·c[2] + l/4, column = 8·c[1] + 2·(l%4) + c[0].
  target::FragmentMap map = valueOf(target::parseFragmentMap(
      "accumulator 16x16 f32 subgroup components (0,1) (0,8) (8,0) lanes (0,2) (0,4) (1,0) (2,0) "
      "(4,0)"));
  LinearLayout layout = valueOf(measuredLayout(map));
  EXPECT_EQ(print(layout), "[16, 16], register = [[0, 1], [0, 8], [8, 0]], "
                           "lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], subgroup = []");
  for (uint64_t lane = 0; lane < 32; ++lane)
    for (uint64_t c = 0; c < 8; ++c)
      EXPECT_EQ(
          layout.at(std::vector<uint64_t>{c, lane, 0}),
          (Coordinates{8 * (c >> 2) + lane / 4, 8 * (c >> 1 & 1) + 2 * (lane % 4) + (c & 1)}));
  EXPECT_TRUE(layout.isInvertible());
  map.scope = target::MatrixScope::Workgroup;
  EXPECT_EQ(failureOf(measuredLayout(map)),
            "a fragment with a layout must have the scope subgroup, got the scope workgroup");
}
