//===- LayoutAlgebraTest.cpp - compares operations with all points ----------===//
#include "compiler/dialect/tile/layout/LayoutAlgebra.h"
#include "compiler/dialect/tile/layout/LayoutText.h"
#include "compiler/dialect/tile/testing/RandomLayouts.h"

#include <map>
#include <set>

using namespace pumice;
using namespace pumice::tile;
using namespace pumice::tile::testing;

/// The coordinates of a point, by the names of spaces.
using Named = std::map<std::string, uint64_t>;

static Named named(const std::vector<Space> &spaces, uint64_t point) {
  Named result;
  std::vector<uint64_t> coordinates = coordinatesOf(spaces, point);
  for (size_t i = 0; i < spaces.size(); ++i)
    result[spaces[i].name] = coordinates[i];
  return result;
}

/// Computes the image of a point, one basis vector at a time.
static Named imageOf(const LinearLayout &layout, const Named &point) {
  Named result;
  for (const Space &space : layout.outputs())
    result[space.name] = 0;
  for (const Space &space : layout.inputs())
    for (unsigned bit = 0; bit < space.bits; ++bit)
      if (point.count(space.name) && point.at(space.name) >> bit & 1) {
        auto image = coordinatesOf(layout.outputs(), layout.columns(space.name)[bit]);
        for (size_t d = 0; d < image.size(); ++d)
          result[layout.outputs()[d].name] ^= image[d];
      }
  return result;
}

template <typename Body> static void forAllPoints(const LinearLayout &layout, Body body) {
  for (uint64_t point = 0; point >> layout.inputBits() == 0; ++point)
    body(point);
}

TEST(LinearLayout, MapsPointsByTheXorOfTheirBits) {
  forSeeds(1000, [](RandomLayouts &random) {
    LinearLayout layout = random.anyLayout({"a", "b", "c"}, {"x", "y"}, 3);
    std::set<uint64_t> reached;
    forAllPoints(layout, [&](uint64_t point) {
      std::vector<uint64_t> in = coordinatesOf(layout.inputs(), point);
      EXPECT_EQ(pointOf(layout.inputs(), in), point);
      EXPECT_EQ(named(layout.outputs(), layout(point)),
                imageOf(layout, named(layout.inputs(), point)));
      EXPECT_EQ(layout.at(in), coordinatesOf(layout.outputs(), layout(point)));
      reached.insert(layout(point));
    });
    EXPECT_EQ(reached.size(), uint64_t(1) << layout.rank());
    EXPECT_EQ(layout.isSurjective(), reached.size() == uint64_t(1) << layout.outputBits());
    EXPECT_EQ(layout.isInjective(), reached.size() == uint64_t(1) << layout.inputBits());
  });
}

TEST(LinearLayout, RejectsInvalidBases) {
  using List = std::vector<Bases>;
  EXPECT_EQ(failureOf(LinearLayout::fromBases(List{{"lane", {{4}}}}, {{"dim0", 2}})),
            "a basis vector of 'lane' has the coordinate 4 in dim0, whose size is 4");
  EXPECT_EQ(failureOf(LinearLayout::fromBases(List{{"lane", {{1, 0}}}}, {{"dim0", 2}})),
            "a basis vector of 'lane' has 2 coordinates; the layout has 1 outputs");
  EXPECT_EQ(failureOf(LinearLayout::fromBases(List{{"lane", {}}, {"lane", {}}}, {})),
            "a layout has two inputs named 'lane'");
  EXPECT_EQ(failureOf(LinearLayout::fromBases(List{}, {{"x", 20}, {"y", 13}})),
            "the outputs of a layout have 33 bits in total; the limit is 32");
  EXPECT_EQ(failureOf(LinearLayout::fromColumns({{"a", 2}}, {{"x", 2}}, {1})),
            "a layout of 2 bits of input is given 1 basis vectors; each bit needs one");
  EXPECT_EQ(failureOf(bitsOf(12, "the number of lanes")),
            "the number of lanes is 12; layout sizes must be powers of two");
}

TEST(LayoutAlgebra, ProductKeepsBothLayouts) {
  forSeeds(1000, [](RandomLayouts &random) {
    LinearLayout low = random.anyLayout({"a", "b"}, {"x", "y"}, 2);
    LinearLayout high = random.anyLayout({"b", "c"}, {"y", "z"}, 2);
    LinearLayout both = valueOf(product(low, high));
    forAllPoints(both, [&](uint64_t point) {
      Named in = named(both.inputs(), point), below = in, above = in;
      below["b"] &= low.input("b").mask() >> low.input("b").shift;
      above["b"] >>= low.input("b").bits;
      Named expected = imageOf(low, below), upper = imageOf(high, above);
      expected["y"] |= upper["y"] << low.output("y").bits;
      expected["z"] = upper["z"];
      EXPECT_EQ(imageOf(both, in), expected);
    });
    EXPECT_EQ(valueOf(product(low, LinearLayout())), low);
    LinearLayout rest = valueOf(quotient(both, low));
    LinearLayout again = valueOf(product(low, rest));
    forAllPoints(both, [&](uint64_t point) {
      EXPECT_EQ(imageOf(again, named(both.inputs(), point)),
                imageOf(both, named(both.inputs(), point)));
    });
  });
}

TEST(LayoutAlgebra, QuotientRejectsIndivisibleLayouts) {
  int divided = 0;
  forSeeds(2000, [&](RandomLayouts &random) {
    LinearLayout whole = random.anyLayout({"a", "b"}, {"x"}, 2);
    LinearLayout low = random.anyLayout({"a"}, {"x"}, 2);
    Result<LinearLayout> rest = quotient(whole, low);
    // Checks the definition: the lowest bits are those of `low`, and the others do not affect its
    // output.
    bool fits = low.input("a").bits <= whole.input("a").bits &&
                low.output("x").bits <= whole.output("x").bits;
    unsigned up = low.output("x").bits;
    for (unsigned bit = 0; fits && bit < whole.inputBits(); ++bit) {
      uint64_t image = whole.columns()[bit];
      unsigned position = bit - whole.input("a").shift;
      bool inLow = bit >= whole.input("a").shift && position < low.inputBits();
      fits = inLow ? image == low.columns()[position] : (image & ((1 << up) - 1)) == 0;
    }
    EXPECT_EQ(rest.isOk(), fits) << print(whole) << " by " << print(low);
    divided += fits;
  });
  EXPECT_GT(divided, 200);
  EXPECT_EQ(failureOf(quotient(valueOf(identity(2, "a", "x")), valueOf(zeros(1, "a", "x")))),
            "[x: 1], a = [0] does not divide [x: 4], a = [1, 2]: they differ at bit 0 of 'a'");
}

TEST(LayoutAlgebra, ComposesInAnyOrderOfSpaces) {
  forSeeds(1000, [](RandomLayouts &random) {
    LinearLayout inner = random.anyLayout({"a", "b"}, {"x", "y"}, 3);
    std::vector<Space> middle = {inner.outputs()[1], inner.outputs()[0]};
    std::vector<Space> outs = {{"p", 2}, {"q", 2}};
    LinearLayout outer =
        valueOf(LinearLayout::fromColumns(middle, outs, random.anyColumns(totalBits(middle), 4)));
    LinearLayout both = valueOf(compose(outer, inner));
    forAllPoints(both, [&](uint64_t point) {
      Named in = named(both.inputs(), point);
      EXPECT_EQ(imageOf(both, in), imageOf(outer, imageOf(inner, in)));
    });
  });
  EXPECT_EQ(failureOf(compose(valueOf(identity(2, "x", "y")), valueOf(identity(3, "a", "x")))),
            "layouts do not follow each other: 'x' has sizes 8 and 4");
}

TEST(LayoutAlgebra, InvertsInvertibleLayouts) {
  int inverted = 0;
  forSeeds(2000, [&](RandomLayouts &random) {
    LinearLayout layout = random.anyLayout({"a", "b"}, {"x", "y"}, 3);
    if (random.upTo(1)) {
      unsigned bits = std::max(layout.inputBits(), layout.outputBits());
      layout = valueOf(LinearLayout::fromColumns({{"a", bits}}, {{"x", bits}},
                                                 random.surjectiveColumns(bits, bits)));
    }
    Result<LinearLayout> back = inverse(layout), right = rightInverse(layout);
    EXPECT_EQ(back.isOk(), layout.isInvertible());
    EXPECT_EQ(right.isOk(), layout.isSurjective());
    if (!right.isOk())
      return;
    ++inverted;
    std::map<uint64_t, std::set<uint64_t>> holders;
    forAllPoints(layout, [&](uint64_t point) { holders[layout(point)].insert(point); });
    for (const auto &[element, points] : holders)
      EXPECT_TRUE(points.count((*right)(element))) << print(layout);
    if (back.isOk())
      EXPECT_EQ(valueOf(inverse(*back)), layout);
  });
  EXPECT_GT(inverted, 500);
}

TEST(LayoutAlgebra, FindsEveryElementWhereItCostsLeast) {
  int stays = 0, moves = 0;
  forSeeds(1000, [&](RandomLayouts &random) {
    std::vector<unsigned> dimensions = random.dimensions(2, random.upTo(6));
    LinearLayout from = random.tensor(dimensions, 2, 1, random.upTo(2));
    LinearLayout to = random.tensor(dimensions, 2, 1, random.upTo(2));
    const std::string_view keep[] = {laneSpace, subgroupSpace};
    LinearLayout map = valueOf(invertAndCompose(from, to, keep));
    // Tests by enumeration whether every place finds its element in its own lane and subgroup.
    std::set<std::tuple<uint64_t, uint64_t, uint64_t>> held;
    for (uint64_t point = 0; point >> from.inputBits() == 0; ++point)
      held.insert(
          {from(point), from.input(laneSpace).of(point), from.input(subgroupSpace).of(point)});
    bool canStay = true, stayed = true;
    forAllPoints(to, [&](uint64_t point) {
      uint64_t lane = to.input(laneSpace).of(point), group = to.input(subgroupSpace).of(point);
      EXPECT_EQ(from(map(point)), to(point));
      canStay &= held.count({to(point), lane, group}) != 0;
      stayed &= from.input(laneSpace).of(map(point)) == lane &&
                from.input(subgroupSpace).of(map(point)) == group;
    });
    EXPECT_EQ(stayed, canStay) << print(from) << " to " << print(to);
    stays += canStay;
    moves += !canStay;
  });
  EXPECT_GT(stays, 20);
  EXPECT_GT(moves, 200);
  EXPECT_EQ(failureOf(invertAndCompose(valueOf(parseLayout("[4], lane = [1]")),
                                       valueOf(parseLayout("[4], lane = [2]")))),
            "[4], lane = [1] does not hold all elements of [4], lane = [2]");
}

TEST(LayoutAlgebra, TakesParts) {
  forSeeds(300, [](RandomLayouts &random) {
    LinearLayout layout = random.anyLayout({"a", "b", "c"}, {"x", "y"}, 2);
    const std::string_view ins[] = {"c", "a"}, outs[] = {"y"};
    LinearLayout part = valueOf(sublayout(layout, ins, outs));
    forAllPoints(part, [&](uint64_t point) {
      Named whole = imageOf(layout, named(part.inputs(), point));
      EXPECT_EQ(imageOf(part, named(part.inputs(), point))["y"], whole["y"]);
    });
    LinearLayout padded = valueOf(padInput(layout, "b", layout.input("b").bits + 1));
    EXPECT_EQ(padded.columns("b").back(), 0u);
    EXPECT_EQ(valueOf(dropInputBits(padded, "b", uint64_t(1) << layout.input("b").bits)), layout);
  });
  const std::string_view none[] = {"z"};
  EXPECT_EQ(failureOf(sublayout(LinearLayout(), none, {})), "there is no 'z' in []");
}

TEST(LayoutAlgebra, FreeBitsNumberTheCopies) {
  forSeeds(1000, [](RandomLayouts &random) {
    LinearLayout layout = random.anyLayout({"a", "b"}, {"x"}, 4);
    std::vector<uint64_t> unused = freeBits(layout);
    uint64_t mask = 0, count = 0;
    for (size_t i = 0; i < unused.size(); ++i)
      mask |= layout.input(layout.inputs()[i].name).at(unused[i]);
    std::set<uint64_t> all, few;
    forAllPoints(layout, [&](uint64_t point) {
      all.insert(layout(point));
      if (!(point & mask))
        few.insert(layout(point)), ++count;
    });
    EXPECT_EQ(all, few);
    EXPECT_EQ(count, few.size());
  });
}

TEST(LayoutAlgebra, CountsNeighbours) {
  LinearLayout layout = valueOf(parseLayout("[4, 8], register = [[0, 1], [0, 2], [1, 0]], "
                                            "lane = [[1, 0], [2, 0], [0, 4]]"));
  EXPECT_EQ(contiguousBits(layout, "register", "dim1"), 2u);
  EXPECT_EQ(contiguousBits(layout, "register", "dim0"), 0u);
  EXPECT_EQ(contiguousBits(layout, "lane", "dim0"), 0u); // a register bit reverses their order
  LinearLayout lanes = valueOf(parseLayout("[4, 8], register = [[0, 1]], lane = [[1, 0], [2, 0]]"));
  EXPECT_EQ(contiguousBits(lanes, "lane", "dim0"), 2u);
  EXPECT_EQ(contiguousBits(valueOf(strided(3, 0, "a", "x")), "a", "x"), 3u);
  EXPECT_EQ(contiguousBits(valueOf(strided(3, 1, "a", "x")), "a", "x"), 0u);
  // If another input moves an element by less than the length of the run, the registers are not
  // contiguous.
  LinearLayout own = valueOf(parseLayout("[16], register = [1, 2, 5], lane = [8]"));
  EXPECT_EQ(contiguousBits(own, "register", "dim0"), 0u);
  LinearLayout swizzled = valueOf(parseLayout("[16], register = [1, 2, 4], lane = [10]"));
  EXPECT_EQ(contiguousBits(swizzled, "register", "dim0"), 1u);
}

TEST(LayoutAlgebra, NeighboursFollowEachOther) {
  std::array<unsigned, 5> seen{};
  forSeeds(1000, [&](RandomLayouts &random) {
    std::vector<uint64_t> columns(6);
    for (unsigned i = 0; i < columns.size(); ++i)
      columns[i] = (uint64_t(1) << i) ^ (random.upTo(3) ? 0 : random.bits(6));
    LinearLayout layout = valueOf(
        LinearLayout::fromColumns({{"b", 2}, {"a", 4}}, {{"y", 2}, {"x", 4}}, std::move(columns)));
    unsigned bits = contiguousBits(layout, "a", "x");
    ++seen[bits];
    for (uint64_t place = 0; place < 64; ++place) {
      uint64_t first = place >> bits << bits;
      EXPECT_EQ(layout(place), layout(first) + (place - first)) << print(layout);
    }
  });
  EXPECT_TRUE(std::ranges::all_of(seen, [](unsigned count) { return count > 0; }));
}

TEST(BitSpan, IntersectsSpans) {
  forSeeds(1000, [](RandomLayouts &random) {
    std::vector<uint64_t> a = random.anyColumns(random.upTo(5), 6);
    std::vector<uint64_t> b = random.anyColumns(random.upTo(5), 6);
    std::vector<uint64_t> common = intersect(a, b);
    BitSpan inA(a), inB(b), inBoth(common);
    EXPECT_EQ(inBoth.rank(), common.size());
    for (uint64_t vector = 0; vector < 64; ++vector)
      EXPECT_EQ(inBoth.contains(vector), inA.contains(vector) && inB.contains(vector));
  });
}

TEST(BitSpan, NamesEachCosetOnce) {
  forSeeds(300, [](RandomLayouts &random) {
    std::vector<uint64_t> vectors = random.anyColumns(random.upTo(5), 6);
    BitSpan span(vectors);
    std::set<uint64_t> names;
    for (uint64_t vector = 0; vector < 64; ++vector) {
      EXPECT_TRUE(span.contains(vector ^ span.residue(vector)));
      names.insert(span.residue(vector));
    }
    EXPECT_EQ(names.size(), 64u >> span.rank());
  });
}
