//===- Scan.cpp - how a tensor is scanned along a dimension -----------------===//
#include "compiler/dialect/tile/plan/Scan.h"
#include "compiler/dialect/tile/layout/LayoutAlgebra.h"
#include "compiler/dialect/tile/layout/TensorLayout.h"

#include <algorithm>

using namespace pumice;
using namespace pumice::tile;

namespace {

struct Planner {
  const LinearLayout &layout;
  const Axis &axis;
  unsigned dimension;
  unsigned runBits = 0;       // lowest bits of the coordinate that are bits of registers
  std::vector<uint64_t> kept; // register bits that distinguish runs
  BitSpan places; // images without the bits of runs: of kept bits, then of lanes, subgroups
  Scan plan;

  Planner(const LinearLayout &layout, const Axis &axis, unsigned dimension)
      : layout(layout), axis(axis), dimension(dimension) {}

  void findRuns();
  Status findLevels(unsigned elementBytes, const WorkgroupMemory &memory);
  Status exchange(unsigned firstBit, unsigned elementBytes, const WorkgroupMemory &memory);

  /// Returns an element's number with the lowest `bits` bits of its coordinate cleared.
  uint64_t without(uint64_t element, unsigned bits) const {
    return element & ~layout.output(dimension).at((uint64_t(1) << bits) - 1);
  }
  PlaceBit bit(unsigned number) const {
    PlaceBit result = axis.coordinateBit(number);
    result.negated = plan.reverse;
    return result;
  }
  uint64_t sourceRegister(uint64_t run) const { return spreadBits(run, kept); }
};

} // namespace

void Planner::findRuns() {
  std::vector<uint64_t> neighbours;
  for (; runBits < axis.bits(); ++runBits) {
    Place next = axis.neighbour(runBits);
    if (next.lane || next.subgroup || !axis.coordinateBit(runBits).isOfRegisters())
      break;
    neighbours.push_back(next.reg);
  }
  std::span<const uint64_t> registers = axis.images().first(axis.registerBits());
  for (size_t bit = 0; bit < registers.size(); ++bit) {
    BitSpan now = places;
    if (now.add(without(registers[bit], runBits))) {
      places = now;
      kept.push_back(bit);
    }
  }
  for (uint64_t image : axis.images().subspan(axis.registerBits()))
    places.add(without(image, runBits));

  for (uint64_t run = 0; run >> kept.size() == 0; ++run) {
    std::vector<uint64_t> inOrder;
    for (uint64_t which = 0; which >> runBits == 0; ++which)
      inOrder.push_back(sourceRegister(run) ^ combine(neighbours, which));
    std::ranges::sort(inOrder, {}, [&](uint64_t reg) { return axis.along(axis.element({reg})); });
    if (plan.reverse)
      std::ranges::reverse(inOrder);
    plan.runs.push_back(std::move(inOrder));
  }
  // Expresses all registers by those in runs.
  std::vector<uint64_t> basis = neighbours;
  for (uint64_t bit : kept)
    basis.push_back(uint64_t(1) << bit);
  BitSpan held;
  for (uint64_t reg : basis)
    held.add(axis.element({reg}));
  for (uint64_t image : registers)
    plan.original.push_back(combine(basis, held.express(image).value_or(0)));
}

Status Planner::findLevels(unsigned elementBytes, const WorkgroupMemory &memory) {
  for (unsigned number = runBits; number < axis.bits(); ++number) {
    uint64_t step = layout.output(dimension).at(uint64_t(1) << number);
    uint64_t which = places.express(step).value_or(0);
    size_t lanes = layout.columns(laneSpace).size();
    if (which >> (kept.size() + lanes))
      return exchange(number, elementBytes, memory);
    plan.levels.push_back(
        {which & ((uint64_t(1) << kept.size()) - 1), which >> kept.size(), bit(number)});
  }
  return Status::ok();
}

/// Exchanges totals through memory. Blocks of 2^firstBit elements remain, and some of them are in
/// other subgroups.
Status Planner::exchange(unsigned firstBit, unsigned elementBytes, const WorkgroupMemory &memory) {
  unsigned bits = axis.bits() - firstBit;
  std::vector<unsigned> dimensions{bits};
  unsigned otherBits = 0;
  std::vector<Space> others;
  for (unsigned d = 0; d < layout.outputs().size(); ++d)
    if (d != dimension) {
      others.push_back(layout.outputs()[d]);
      dimensions.push_back(others.back().bits);
      otherBits += others.back().bits;
    }
  auto otherOf = [&](uint64_t image) {
    std::vector<uint64_t> coordinates = coordinatesOf(layout.outputs(), image);
    coordinates.erase(coordinates.begin() + dimension);
    return pointOf(others, coordinates);
  };
  // Lists the bits of a place's number from the lowest on: subgroups, then lanes, then registers.
  Distributed source(layout);
  std::vector<uint64_t> from, to;
  auto add = [&](uint64_t image) {
    from.push_back(axis.along(image) >> firstBit << otherBits | otherOf(image));
    return otherOf(image);
  };
  for (std::span<const uint64_t> part : {source.subgroups, source.lanes})
    for (uint64_t image : part)
      to.push_back(add(image));
  for (unsigned number = 0; number < bits; ++number)
    to.push_back(uint64_t(1) << (otherBits + number));
  BitSpan rows;
  for (uint64_t number : kept)
    if (uint64_t other = add(source.registers[number]); rows.add(other))
      to.push_back(other);

  std::vector<Space> inputs = layout.inputs();
  Scan::Subgroups result;
  inputs[0].bits = static_cast<unsigned>(kept.size());
  PUMICE_TRY(result.totals.from, tensorLayout(inputs, dimensions, from));
  inputs[0].bits = bits + rows.rank();
  PUMICE_TRY(result.totals.to, tensorLayout(inputs, dimensions, to));
  PUMICE_TRY(result.totals.conversion,
             planConversion(result.totals.from, result.totals.to, elementBytes, memory));
  PUMICE_TRY(result.pick, planLaneExchange(result.totals.to, result.totals.from));
  result.blocks = 1u << bits;
  for (unsigned number = firstBit; number < axis.bits(); ++number)
    result.notFirst.push_back(bit(number));
  plan.subgroups = std::move(result);
  return Status::ok();
}

Result<Scan> pumice::tile::planScan(const LinearLayout &layout, unsigned dimension, bool reverse,
                                    unsigned elementBytes, const WorkgroupMemory &memory) {
  PUMICE_TRY(Axis axis, Axis::of(layout, dimension));
  Planner planner(layout, axis, dimension);
  planner.plan.reverse = reverse;
  planner.findRuns();
  PUMICE_RETURN_IF_ERROR(planner.findLevels(elementBytes, memory));
  return std::move(planner.plan);
}

std::string pumice::tile::describe(const Scan &scan) {
  std::string text = std::to_string(scan.runs.size()) + (scan.runs.size() == 1 ? " run" : " runs") +
                     " of " + std::to_string(scan.runs[0].size());
  size_t lanes = std::ranges::count_if(scan.levels,
                                       [](const Scan::Level &level) { return level.laneXor != 0; });
  if (lanes)
    text += "; shuffles: " + std::to_string(lanes) + (lanes == 1 ? " level" : " levels");
  if (size_t registers = scan.levels.size() - lanes)
    text += "; registers: " + std::to_string(registers) + (registers == 1 ? " level" : " levels");
  if (scan.subgroups)
    text += "; " + std::to_string(scan.subgroups->blocks) + " blocks by " +
            describe(scan.subgroups->totals.conversion);
  return text;
}
