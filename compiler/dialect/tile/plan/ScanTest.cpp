//===- ScanTest.cpp - scans, executed and compared --------------------------===//
// The operation concatenates texts: it is associative, but not commutative.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/tile/plan/Scan.h"
#include "compiler/dialect/tile/layout/LayoutText.h"
#include "compiler/dialect/tile/layout/TensorLayout.h"
#include "compiler/dialect/tile/testing/RandomLayouts.h"
#include "compiler/dialect/tile/testing/Simulator.h"

using namespace pumice;
using namespace pumice::tile;
using namespace pumice::tile::testing;

using Texts = Registers<std::string>;

template <typename Body> static void forAll(const Texts &texts, Body body) {
  for (unsigned subgroup = 0; subgroup < texts.subgroups; ++subgroup)
    for (unsigned lane = 0; lane < texts.lanes; ++lane)
      for (unsigned reg = 0; reg < texts.count; ++reg)
        body(subgroup, lane, reg);
}

/// Converts texts to numbers for the simulator of conversions, and back.
struct Numbering {
  std::vector<std::string> known;
  int of(const std::string &text) {
    auto place = std::find(known.begin(), known.end(), text);
    if (place == known.end())
      place = known.insert(known.end(), text);
    return static_cast<int>(place - known.begin());
  }
  Registers<int> of(const Texts &texts) {
    Registers<int> result(texts.subgroups, texts.lanes, texts.count);
    for (size_t i = 0; i < texts.values.size(); ++i)
      result.values[i] = of(texts.values[i]);
    return result;
  }
  Texts back(const Registers<int> &numbers) const {
    Texts result(numbers.subgroups, numbers.lanes, numbers.count);
    for (size_t i = 0; i < numbers.values.size(); ++i)
      result.values[i] = known[static_cast<size_t>(numbers.values[i])];
    return result;
  }
};

/// Adds the values that precede each run in other subgroups. It scans the blocks' totals, except
/// for the last.
static void addSubgroups(const Scan &plan, const Texts &totals, Texts &before) {
  Numbering numbering;
  const Scan::Subgroups &across = *plan.subgroups;
  Texts all =
      numbering.back(execute(across.totals.conversion, numbering.of(totals), across.totals.to, 4));
  Texts scanned = all;
  forAll(all, [&](unsigned subgroup, unsigned lane, unsigned reg) {
    unsigned first = reg / across.blocks * across.blocks;
    std::string text;
    for (unsigned i = 0; i < across.blocks; ++i) {
      unsigned block = plan.reverse ? across.blocks - 1 - i : i;
      if (first + block == reg)
        break;
      text += all.at(subgroup, lane, first + block);
    }
    scanned.at(subgroup, lane, reg) = text;
  });
  Texts picked = numbering.back(execute(across.pick, numbering.of(scanned)));
  forAll(before, [&](unsigned subgroup, unsigned lane, unsigned run) {
    Place place{plan.runs[run][0], lane, subgroup};
    bool notFirst = false;
    for (const PlaceBit &bit : across.notFirst)
      notFirst |= bit(place);
    if (notFirst)
      before.at(subgroup, lane, run) =
          picked.at(subgroup, lane, run) + before.at(subgroup, lane, run);
  });
}

static Texts execute(const Scan &plan, const Texts &source) {
  Texts result = source;
  Texts totals(source.subgroups, source.lanes, static_cast<unsigned>(plan.runs.size()));
  Texts before = totals;
  forAll(totals, [&](unsigned subgroup, unsigned lane, unsigned run) {
    std::string text;
    for (uint64_t reg : plan.runs[run])
      result.at(subgroup, lane, reg) = text += source.at(subgroup, lane, reg);
    totals.at(subgroup, lane, run) = text;
  });
  for (const Scan::Level &level : plan.levels) {
    Texts old = totals;
    forAll(totals, [&](unsigned subgroup, unsigned lane, unsigned run) {
      const std::string &other = old.at(subgroup, lane ^ level.laneXor, run ^ level.runXor);
      std::string &mine = totals.at(subgroup, lane, run);
      if (level.isUpper({plan.runs[run][0], lane, subgroup})) {
        mine = other + mine;
        before.at(subgroup, lane, run) = other + before.at(subgroup, lane, run);
      } else {
        mine += other;
      }
    });
  }
  if (plan.subgroups)
    addSubgroups(plan, totals, before);
  forAll(totals, [&](unsigned subgroup, unsigned lane, unsigned run) {
    for (uint64_t reg : plan.runs[run])
      result.at(subgroup, lane, reg) =
          before.at(subgroup, lane, run) + result.at(subgroup, lane, reg);
  });
  Texts copied = result;
  forAll(result, [&](unsigned subgroup, unsigned lane, unsigned reg) {
    copied.at(subgroup, lane, reg) = result.at(subgroup, lane, combine(plan.original, reg));
  });
  return copied;
}

static Scan check(const LinearLayout &layout, unsigned dimension, bool reverse) {
  SCOPED_TRACE(print(layout) + " along " + std::to_string(dimension) + (reverse ? " back" : ""));
  Scan plan = valueOf(planScan(layout, dimension, reverse, 4));
  Field along = layout.output(dimension);
  std::vector<std::string> values, expected;
  for (uint64_t element = 0; element >> layout.outputBits() == 0; ++element) {
    values.push_back(std::to_string(element) + " ");
    std::string text;
    uint64_t end = reverse ? (uint64_t(1) << along.bits) - 1 : 0;
    for (uint64_t at = end;; reverse ? --at : ++at) {
      text += std::to_string((element & ~along.mask()) | along.at(at)) + " ";
      if (at == along.of(element))
        break;
    }
    expected.push_back(text);
  }
  EXPECT_EQ(execute(plan, distribute(layout, values)).values, distribute(layout, expected).values)
      << describe(plan);
  return plan;
}

TEST(Scan, CombinesInOrder) {
  int runs = 0, lanes = 0, subgroups = 0;
  forSeeds(5000, [&](RandomLayouts &random) {
    std::vector<unsigned> dimensions = random.dimensions(1 + random.upTo(2), random.upTo(6));
    LinearLayout layout = random.tensor(dimensions, random.upTo(3), random.upTo(2), random.upTo(2));
    Scan plan =
        check(layout, random.upTo(static_cast<unsigned>(dimensions.size()) - 1), random.upTo(1));
    runs += plan.runs[0].size() > 1;
    lanes += !plan.levels.empty();
    subgroups += plan.subgroups.has_value();
  });
  EXPECT_GT(runs, 300);
  EXPECT_GT(lanes, 500);
  EXPECT_GT(subgroups, 500);
}

TEST(Scan, ScansLayoutsOfRealKernels) {
  // On a CPU, neighbouring lanes hold neighbouring elements. The next register continues after the
  // last lane.
  EXPECT_EQ(describe(check(valueOf(consecutive(std::vector<uint64_t>{64}, 8)), 0, false)),
            "8 runs of 1; shuffles: 3 levels; registers: 3 levels");
  EXPECT_EQ(describe(check(valueOf(consecutive(std::vector<uint64_t>{64}, 8, 8)), 0, true)),
            "1 run of 8; shuffles: 3 levels");
  LinearLayout row = valueOf(blocked(std::vector<uint64_t>{512}, {{4}, {32}, {4}, {0}}));
  EXPECT_EQ(
      describe(check(row, 0, false)),
      "1 run of 4; shuffles: 5 levels; 4 blocks by workgroup memory: 16 bytes, 1 piece; stores "
      "1 vector of 1, no bank conflicts; loads 1 vector of 4, no bank conflicts");
}
