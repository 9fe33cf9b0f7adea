//===- ConversionTest.cpp - executes plans of conversions -------------------===//
#include "compiler/dialect/tile/plan/Conversion.h"
#include "compiler/dialect/tile/layout/LayoutText.h"
#include "compiler/dialect/tile/layout/TensorLayout.h"
#include "compiler/dialect/tile/testing/RandomLayouts.h"
#include "compiler/dialect/tile/testing/Simulator.h"

#include <map>
#include <numeric>
#include <set>

using namespace pumice;
using namespace pumice::tile;
using namespace pumice::tile::testing;

static std::vector<int> elementsOf(const LinearLayout &layout) {
  std::vector<int> values(size_t(1) << layout.outputBits());
  std::iota(values.begin(), values.end(), 0);
  return values;
}

/// Executes the plan, and compares every register with its expected value.
static Conversion check(const LinearLayout &from, const LinearLayout &to, unsigned elementBytes = 4,
                        const WorkgroupMemory &memory = {}) {
  SCOPED_TRACE(print(from) + "  to  " + print(to));
  Conversion conversion = valueOf(planConversion(from, to, elementBytes, memory));
  Registers<int> moved =
      execute(conversion, distribute(from, elementsOf(from)), to, elementBytes, memory);
  EXPECT_EQ(moved.values, distribute(to, elementsOf(to)).values) << describe(conversion);
  return conversion;
}

/// Finds the cheapest movement by enumeration. Tests whether the source holds each element of the
/// result in the same lane, or in the same subgroup.
static Movement least(const LinearLayout &from, const LinearLayout &to) {
  std::set<std::vector<uint64_t>> inLane, inSubgroup;
  forAllPlaces(from, [&](uint64_t subgroup, uint64_t lane, uint64_t, uint64_t element) {
    inLane.insert({subgroup, lane, element});
    inSubgroup.insert({subgroup, element});
  });
  Movement result = Movement::Registers;
  forAllPlaces(to, [&](uint64_t subgroup, uint64_t lane, uint64_t, uint64_t element) {
    if (!inSubgroup.count({subgroup, element}))
      result = Movement::Memory;
    else if (result == Movement::Registers && !inLane.count({subgroup, lane, element}))
      result = Movement::Shuffles;
  });
  return result;
}

TEST(Conversion, TakesTheCheapestWayAndArrives) {
  std::map<Movement, int> taken;
  forSeeds(20000, [&](RandomLayouts &random) {
    std::vector<unsigned> dimensions = random.dimensions(1 + random.upTo(2), random.upTo(7));
    unsigned lanes = random.upTo(3), subgroups = random.upTo(1) * random.upTo(2);
    LinearLayout from = random.tensor(dimensions, lanes, subgroups, random.upTo(2));
    LinearLayout to = random.tensor(dimensions, lanes, subgroups, random.upTo(2));
    if (random.upTo(4) == 0)
      to = from;
    Conversion conversion = check(from, to);
    ++taken[conversion.movement];
    Movement expected = from == to ? Movement::Nothing : least(from, to);
    Movement found = conversion.movement;
    if (found == Movement::Nothing)
      EXPECT_EQ(from, to);
    EXPECT_EQ(found, expected) << print(from) << " to " << print(to);
  });
  for (Movement movement :
       {Movement::Nothing, Movement::Registers, Movement::Shuffles, Movement::Memory})
    EXPECT_GT(taken[movement], 500) << int(movement);
}

/// If all subgroups hold different elements, there are as many rounds as result registers.
TEST(Conversion, TakesARoundForEachRegister) {
  forSeeds(10000, [](RandomLayouts &random) {
    std::vector<unsigned> dimensions = random.dimensions(2, 2 + random.upTo(6));
    unsigned lanes = random.upTo(4);
    LinearLayout from = random.tensor(dimensions, lanes, 0, random.upTo(2));
    LinearLayout to = random.tensor(dimensions, lanes, 0, random.upTo(2));
    LaneExchange exchange = valueOf(planLaneExchange(from, to));
    EXPECT_EQ(exchange.rounds.size(), exchange.resultRegisters);
    EXPECT_LE(exchange.shuffles(), exchange.resultRegisters);
    check(from, to);
  });
}

TEST(Conversion, ReadsCopiesOfOtherSubgroupsInMoreRounds) {
  // Both subgroups hold all 8 elements. Each needs 4 of them, and reads some lanes twice.
  LinearLayout from = valueOf(parseLayout("[8], register = [1], lane = [2, 4], subgroup = [0]"));
  LinearLayout to = valueOf(parseLayout("[8], register = [], lane = [1, 2], subgroup = [4]"));
  EXPECT_EQ(describe(check(from, to)), "shuffles: 2 rounds, 4 selects");
}

//===-------------------------------------------------------------------------===//
// Workgroup memory
//===-------------------------------------------------------------------------===//

TEST(MemoryTrip, SwizzlesConflictsAway) {
  int withConflicts = 0, inPieces = 0, wide = 0, trips = 0;
  forSeeds(10000, [&](RandomLayouts &random) {
    WorkgroupMemory memory{.bytes = uint64_t(64) << random.upTo(4),
                           .banks = 8,
                           .bankBytes = 4,
                           .widestAccess = 4u << random.upTo(2)};
    unsigned elementBytes = 1u << random.upTo(3);
    std::vector<unsigned> dimensions = random.dimensions(2, 3 + random.upTo(6));
    unsigned lanes = random.upTo(4), subgroups = random.upTo(2);
    LinearLayout from = random.tensor(dimensions, lanes, subgroups, random.upTo(2));
    LinearLayout to = random.tensor(dimensions, lanes, subgroups, random.upTo(2));
    SCOPED_TRACE(print(from) + "  to  " + print(to));
    Result<MemoryTrip> trip = planMemoryTrip(from, to, elementBytes, memory);
    if (!trip.isOk()) {
      EXPECT_NE(trip.status().message().find("bytes of workgroup memory at least"),
                std::string::npos);
      return;
    }
    Traffic traffic;
    Registers<int> moved =
        execute(*trip, distribute(from, elementsOf(from)), to, elementBytes, memory, traffic);
    EXPECT_EQ(moved.values, distribute(to, elementsOf(to)).values);
    EXPECT_LE(trip->bytes, memory.bytes);
    EXPECT_TRUE(trip->addresses.isInvertible());
    // The simulated traffic must equal the prediction.
    EXPECT_EQ(traffic.worstStore, trip->store.conflicts);
    EXPECT_EQ(traffic.worstLoad, trip->load.conflicts);
    withConflicts += trip->store.conflicts + trip->load.conflicts > 2;
    inPieces += trip->pieces > 1;
    wide += trip->store.length() > 1;
    ++trips;
  });
  EXPECT_EQ(withConflicts, 0);
  EXPECT_GT(trips, 1500);
  EXPECT_GT(inPieces, 100);
  EXPECT_GT(wide, 100);
}

TEST(MemoryTrip, PredictsTheConflictsOfPlainAddresses) {
  // Columns of a matrix that is stored row by row, without a swizzle.
  forSeeds(500, [](RandomLayouts &random) {
    WorkgroupMemory memory{.bytes = 65536, .banks = 8, .bankBytes = 4, .widestAccess = 16};
    std::vector<unsigned> dimensions = random.dimensions(2, 8);
    LinearLayout layout = random.tensor(dimensions, 3, 0, 0);
    std::vector<uint64_t> units;
    for (unsigned bit = 0; bit < 8; ++bit)
      units.push_back(uint64_t(1) << bit);
    LinearLayout plain = valueOf(LinearLayout::fromColumns(
        layout.outputs(), {{std::string(pieceSpace), 0}, {std::string(offsetSpace), 8}}, units));
    MemoryTrip trip;
    trip.addresses = plain;
    trip.bytes = 1024;
    trip.store = trip.load = valueOf(planAccess(layout, plain, 2, 4, memory));
    Traffic traffic;
    Registers<int> moved =
        execute(trip, distribute(layout, elementsOf(layout)), layout, 4, memory, traffic);
    EXPECT_EQ(moved.values, distribute(layout, elementsOf(layout)).values);
    EXPECT_EQ(traffic.worstStore, trip.store.conflicts) << print(layout);
  });
}

TEST(MemoryTrip, RejectsBlocksThatDoNotFit) {
  LinearLayout from = valueOf(parseLayout("[1024], register = [1, 2, 4, 8, 16], lane = [32, 64, "
                                          "128, 256], subgroup = [512]"));
  LinearLayout to =
      valueOf(parseLayout("[1024], register = [512, 256, 128, 64, 32], lane = [16, 8, "
                          "4, 2], subgroup = [1]"));
  EXPECT_EQ(failureOf(planConversion(from, to, 4, {.bytes = 2048})),
            "going from " + print(from) + " to " + print(to) +
                " takes 4096 bytes of workgroup memory at least; there are 2048");
  EXPECT_EQ(failureOf(planConversion(from, to, 3)),
            "an element's size in bytes is 3; layout sizes must be powers of two");
}

//===-------------------------------------------------------------------------===//
// Layouts of kernels
//===-------------------------------------------------------------------------===//

TEST(Conversion, RejectsUndistributedLayouts) {
  auto message = [](std::string_view from, std::string_view to) {
    return failureOf(planConversion(valueOf(parseLayout(from)), valueOf(parseLayout(to)), 4));
  };
  std::string good = "[2], register = [1], lane = [], subgroup = []";
  EXPECT_EQ(
      message("[2], register = [1], lane = []", good),
      "the inputs of [2], register = [1], lane = [] are not register, lane and subgroup, where "
      "a distributed tensor is held");
  EXPECT_EQ(message(good, "[2], register = [], lane = [], subgroup = []"),
            "some elements are held nowhere by [2], register = [], lane = [], subgroup = []");
  EXPECT_EQ(message(good, "[2], register = [], lane = [1], subgroup = []"),
            good +
                " and [2], register = [], lane = [1], subgroup = [] differ in the number of lanes");
  LinearLayout large = valueOf(consecutive(std::vector<uint64_t>{uint64_t(1) << 22}, 16));
  EXPECT_EQ(failureOf(planConversion(large, large, 4)),
            print(large) + " has 2^22 registers in all lanes together; the limit is 2^21");
  EXPECT_EQ(message(good, "[1], register = [], lane = [], subgroup = []"),
            good + " and [1], register = [], lane = [], subgroup = [] are of tensors of different "
                   "shapes");
}

static std::string between(std::string_view from, std::string_view to, unsigned elementBytes = 4) {
  return describe(check(valueOf(parseLayout(from)), valueOf(parseLayout(to)), elementBytes));
}

TEST(Conversion, ConvertsMeasuredFragments) {
  std::string fragment = "[16, 16], register = [[0, 1], [0, 8], [8, 0]], "
                         "lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], subgroup = []";
  std::string rows =
      print(valueOf(blocked(std::vector<uint64_t>{16, 16}, {{1, 4}, {8, 4}, {1, 1}, {1, 0}})));
  EXPECT_EQ(rows, "[16, 16], register = [[0, 1], [0, 2], [8, 0]], "
                  "lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], subgroup = []");
  EXPECT_EQ(between(fragment, rows), "shuffles: 8 rounds, 16 selects");
  EXPECT_EQ(between(fragment, fragment), "nothing moves");
}

TEST(Conversion, ConvertsBlocksAcrossSubgroups) {
  const uint64_t shape[] = {64, 64};
  // 4 subgroups of 32 lanes transpose a tile of f32: they store rows, and load columns.
  LinearLayout rows = valueOf(blocked(shape, {{1, 4}, {2, 16}, {4, 1}, {1, 0}}));
  LinearLayout columns = valueOf(blocked(shape, {{4, 1}, {16, 2}, {1, 4}, {0, 1}}));
  EXPECT_EQ(describe(check(rows, columns)),
            "workgroup memory: 16384 bytes, 1 piece; stores 32 vectors of 1, no bank conflicts; "
            "loads 32 vectors of 1, no bank conflicts");
  // A conversion of f16 from rows to longer rows stores and loads vectors.
  LinearLayout longer = valueOf(blocked(shape, {{1, 8}, {4, 8}, {4, 1}, {1, 0}}));
  EXPECT_EQ(describe(check(rows, longer, 2)),
            "workgroup memory: 8192 bytes, 1 piece; stores 4 vectors of 8, no bank conflicts; "
            "loads 4 vectors of 8, no bank conflicts");
}

TEST(Conversion, StaysInTheSubgroupOnACpu) {
  const uint64_t shape[] = {16, 64};
  LinearLayout rows = valueOf(consecutive(shape, 16));
  LinearLayout columns = valueOf(transpose(valueOf(consecutive(std::vector<uint64_t>{64, 16}, 16)),
                                           std::vector<unsigned>{1, 0}));
  EXPECT_EQ(describe(check(rows, columns)), "shuffles: 60 rounds, 512 selects");
  // A row of results goes to the layout that the next operation needs.
  LinearLayout slice = valueOf(removeDimension(columns, 1));
  EXPECT_EQ(print(slice), "[16], register = [], lane = [1, 2, 4, 8], subgroup = []");
  EXPECT_EQ(describe(check(slice, valueOf(removeDimension(rows, 1)))),
            "shuffles: 16 rounds, 0 selects");
}
