//===- GatherTest.cpp - gathers, executed and compared ----------------------===//
#include "compiler/dialect/tile/plan/Gather.h"
#include "compiler/dialect/tile/layout/LayoutText.h"
#include "compiler/dialect/tile/layout/TensorLayout.h"
#include "compiler/dialect/tile/testing/RandomLayouts.h"
#include "compiler/dialect/tile/testing/Simulator.h"

#include <map>

using namespace pumice;
using namespace pumice::tile;
using namespace pumice::tile::testing;

/// Returns the memory in which the plan stores the source.
static std::map<uint64_t, int> stored(const Gather &plan, const Registers<int> &source) {
  std::map<uint64_t, int> memory;
  const LinearLayout &places = plan.store.places;
  for (uint64_t start : plan.store.starts)
    for (uint64_t i = 0; i < plan.store.length(); ++i)
      for (uint64_t lane = 0; lane < source.lanes; ++lane)
        for (uint64_t subgroup = 0; subgroup < source.subgroups; ++subgroup) {
          if (lane & plan.store.laneCopies || subgroup & plan.store.subgroupCopies)
            continue;
          auto at = [&](uint64_t reg) {
            return places.output(offsetSpace)
                .of(places(places.input(registerSpace).at(reg) | places.input(laneSpace).at(lane) |
                           places.input(subgroupSpace).at(subgroup)));
          };
          uint64_t reg = start ^ combine(plan.store.vector, i);
          EXPECT_EQ(at(reg), at(start) + i);
          EXPECT_TRUE(memory.insert({at(reg), source.at(subgroup, lane, reg)}).second);
        }
  return memory;
}

static Registers<int> execute(const Gather &plan, const Registers<int> &source,
                              const Registers<int> &indices) {
  Registers<int> result = indices;
  std::map<uint64_t, int> memory;
  if (plan.movement == Movement::Memory)
    memory = stored(plan, source);
  auto place = [&](uint64_t subgroup, uint64_t lane, uint64_t reg, uint64_t index) {
    return plan.places(
        plan.places.input(registerSpace).at(reg) | plan.places.input(laneSpace).at(lane) |
        plan.places.input(subgroupSpace).at(subgroup) | plan.places.input(indexSpace).at(index));
  };
  for (unsigned subgroup = 0; subgroup < result.subgroups; ++subgroup)
    for (unsigned lane = 0; lane < result.lanes; ++lane)
      for (unsigned reg = 0; reg < result.count; ++reg) {
        int &value = result.at(subgroup, lane, reg);
        uint64_t there = place(subgroup, lane, reg, static_cast<uint64_t>(value));
        value = -1;
        if (plan.movement == Movement::Memory) {
          value = memory.at(plan.places.output(offsetSpace).of(there));
          continue;
        }
        uint64_t from = plan.places.output(laneSpace).of(there);
        uint64_t wanted = plan.places.output(registerSpace).of(there);
        uint64_t first = plan.places.output(registerSpace).of(place(0, 0, reg, 0));
        if (plan.movement == Movement::Registers)
          EXPECT_EQ(from, lane);
        for (uint64_t i = 0; i < plan.lookups(); ++i)
          if (uint64_t candidate = first ^ combine(plan.candidates, i); candidate == wanted)
            value = source.at(subgroup, from, candidate);
      }
  return result;
}

TEST(Gather, ReadsWhatTheIndexSays) {
  std::map<Movement, int> taken;
  forSeeds(20000, [&](RandomLayouts &random) {
    std::vector<unsigned> dimensions = random.dimensions(1 + random.upTo(2), random.upTo(6));
    unsigned axis = random.upTo(static_cast<unsigned>(dimensions.size()) - 1);
    unsigned lanes = random.upTo(3), subgroups = random.upTo(1) * random.upTo(2);
    LinearLayout source = random.tensor(dimensions, lanes, subgroups, random.upTo(2));
    dimensions[axis] = random.upTo(3);
    LinearLayout result = random.tensor(dimensions, lanes, subgroups, random.upTo(2));
    SCOPED_TRACE(print(source) + " at " + print(result) + " along " + std::to_string(axis));
    Gather plan = valueOf(planGather(source, result, axis, 4, {}, uint64_t(1) << random.upTo(6)));
    std::vector<int> values, indices, expected;
    for (int i = 0; i >> source.outputBits() == 0; ++i)
      values.push_back(1000 + i);
    for (uint64_t element = 0; element >> result.outputBits() == 0; ++element) {
      indices.push_back(static_cast<int>(random.bits(source.output(axis).bits)));
      std::vector<uint64_t> at = coordinatesOf(result.outputs(), element);
      at[axis] = static_cast<uint64_t>(indices.back());
      expected.push_back(values[pointOf(source.outputs(), at)]);
    }
    EXPECT_EQ(execute(plan, distribute(source, values), distribute(result, indices)).values,
              distribute(result, expected).values)
        << describe(plan);
    ++taken[plan.movement];
  });
  for (Movement movement : {Movement::Registers, Movement::Shuffles, Movement::Memory})
    EXPECT_GT(taken[movement], 500) << int(movement);
}

TEST(Gather, ChoosesByTheNumberOfLookups) {
  LinearLayout row = valueOf(consecutive(std::vector<uint64_t>{64}, 16));
  EXPECT_EQ(describe(valueOf(planGather(row, row, 0, 4))), "shuffles: 4 lookups a register");
  EXPECT_EQ(describe(valueOf(planGather(row, row, 0, 4, {}, 2))), "workgroup memory: 256 bytes");
  LinearLayout columns = valueOf(
      parseLayout("[4, 4], register = [[1, 0], [2, 0]], lane = [[0, 1], [0, 2]], subgroup = []"));
  EXPECT_EQ(describe(valueOf(planGather(columns, columns, 0, 4))),
            "registers: 4 lookups a register");
  EXPECT_EQ(describe(valueOf(planGather(columns, columns, 1, 4))), "shuffles: 1 lookup a register");
}

TEST(Gather, RejectsImpossiblePlans) {
  LinearLayout row = valueOf(consecutive(std::vector<uint64_t>{64}, 16));
  LinearLayout block = valueOf(consecutive(std::vector<uint64_t>{2, 32}, 16));
  EXPECT_EQ(failureOf(planGather(row, block, 0, 4)),
            print(row) + " and " + print(block) +
                " differ in more than the dimension that is gathered along");
  EXPECT_EQ(failureOf(planGather(row, row, 0, 4, {.bytes = 128}, 1)),
            "gathering from " + print(row) + " takes 256 bytes of workgroup memory; there are 128");
}
