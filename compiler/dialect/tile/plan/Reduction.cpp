//===- Reduction.cpp - how a dimension of a tensor is reduced ---------------===//
// Places are reduced together if their elements differ only along the dimension. These differences
// are relations of the layout without the dimension. The plan first uses relations that lie in
// registers, then those that need lanes, then those that need subgroups. A relation counts only if
// it leads to an element that earlier relations do not reach. Otherwise it leads to a copy.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/tile/plan/Reduction.h"
#include "compiler/dialect/tile/layout/TensorLayout.h"

#include <algorithm>

using namespace pumice;
using namespace pumice::tile;

namespace {

struct Planner {
  const LinearLayout &layout;
  const Axis &axis;
  std::vector<uint64_t> kept; // register bits of the result, by their number in the source
  std::vector<uint64_t> inRegisters;
  /// For each relation that is combined, the coordinate along the dimension by which its elements
  /// differ. None is an XOR of others. They are in the order of the steps: relations in registers,
  /// then in lanes, then in subgroups.
  std::vector<uint64_t> coordinates;
  Reduction plan;

  Planner(const LinearLayout &layout, const Axis &axis) : layout(layout), axis(axis) {}

  void classify();
  void listRegisters();
  Status exchange(unsigned elementBytes, const WorkgroupMemory &memory);

  uint64_t resultRegister(uint64_t reg) const { return gatherBits(reg, kept); }
  uint64_t sourceRegister(uint64_t reg) const { return spreadBits(reg, kept); }
};

} // namespace

void Planner::classify() {
  std::vector<uint64_t> others = axis.otherImages();
  BitSpan rest, reached;
  for (size_t bit = 0; bit < others.size(); ++bit) {
    if (rest.add(others[bit])) {
      if (bit < axis.registerBits())
        kept.push_back(bit);
      continue;
    }
    // Relations name only kept registers, so that the steps work on result registers.
    Place relation = axis.place(rest.relations().back());
    uint64_t coordinate = axis.along(axis.element(relation));
    if (!reached.add(coordinate))
      continue;
    coordinates.push_back(coordinate);
    if (!relation.lane && !relation.subgroup)
      inRegisters.push_back(relation.reg);
    else if (!relation.subgroup)
      plan.steps.push_back({relation.lane, resultRegister(relation.reg)});
  }
}

void Planner::listRegisters() {
  for (uint64_t result = 0; result >> kept.size() == 0; ++result) {
    std::vector<uint64_t> combined;
    for (uint64_t which = 0; which >> inRegisters.size() == 0; ++which)
      combined.push_back(sourceRegister(result) ^ combine(inRegisters, which));
    std::ranges::sort(combined, {}, [&](uint64_t reg) { return axis.along(axis.element({reg})); });
    plan.registers.push_back(std::move(combined));
  }
}

/// Adds a dim0 to the tensor of partial results. It numbers the partial result that a place holds:
/// the coordinate along the dimension, without the bits that have been combined.
Status Planner::exchange(unsigned elementBytes, const WorkgroupMemory &memory) {
  size_t combined = inRegisters.size() + plan.steps.size();
  unsigned bits = static_cast<unsigned>(coordinates.size() - combined);
  plan.partialResults = 1u << bits;
  if (!bits)
    return Status::ok();
  BitSpan known(coordinates);
  unsigned otherBits = plan.result.outputBits();
  // Lists the bits of a place's number from the lowest on: subgroups, then lanes, then registers.
  std::vector<uint64_t> from, to;
  auto add = [&](uint64_t image) {
    uint64_t partial = known.express(axis.along(image)).value_or(0) >> combined;
    from.push_back(partial << otherBits);
  };
  Distributed places(layout);
  for (std::span<const uint64_t> part : {places.subgroups, places.lanes})
    for (uint64_t image : part)
      add(image);
  for (uint64_t bit : kept)
    add(places.registers[bit]);
  to.resize(from.size() - kept.size());
  for (unsigned bit = 0; bit < bits; ++bit)
    to.push_back(uint64_t(1) << (otherBits + bit));
  to.resize(from.size() + bits);
  for (size_t i = 0, held = 0; i < to.size(); ++i)
    if (!to[i])
      from[held] |= plan.result.columns()[held], to[i] = plan.result.columns()[held], ++held;

  std::vector<unsigned> dimensions{bits};
  for (const Space &space : plan.result.outputs())
    dimensions.push_back(space.bits);
  std::vector<Space> inputs = plan.result.inputs();
  AcrossSubgroups across;
  PUMICE_TRY(across.from, tensorLayout(inputs, dimensions, from));
  inputs[0].bits += bits;
  PUMICE_TRY(across.to, tensorLayout(inputs, dimensions, to));
  PUMICE_TRY(across.conversion, planConversion(across.from, across.to, elementBytes, memory));
  plan.across = std::move(across);
  return Status::ok();
}

Result<Reduction> pumice::tile::planReduction(const LinearLayout &layout, unsigned dimension,
                                              unsigned elementBytes,
                                              const WorkgroupMemory &memory) {
  PUMICE_TRY(Axis axis, Axis::of(layout, dimension));
  Planner planner(layout, axis);
  PUMICE_TRY(planner.plan.result, removeDimension(layout, dimension));
  planner.classify();
  planner.listRegisters();
  PUMICE_RETURN_IF_ERROR(planner.exchange(elementBytes, memory));
  return std::move(planner.plan);
}

std::string pumice::tile::describe(const Reduction &reduction) {
  std::string text =
      "registers: " + std::to_string(reduction.registers.size() * reduction.registers[0].size()) +
      " to " + std::to_string(reduction.registers.size());
  if (!reduction.steps.empty())
    text += "; shuffles: " + std::to_string(reduction.steps.size()) +
            (reduction.steps.size() == 1 ? " step" : " steps");
  if (reduction.across)
    text += "; " + std::to_string(reduction.partialResults) + " partial results by " +
            describe(reduction.across->conversion);
  return text;
}
