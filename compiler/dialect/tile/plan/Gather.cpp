//===- Gather.cpp - how a tensor is read at computed places of a dimension --===//
#include "compiler/dialect/tile/plan/Gather.h"
#include "compiler/dialect/tile/layout/LayoutAlgebra.h"
#include "compiler/dialect/tile/layout/LayoutText.h"

using namespace pumice;
using namespace pumice::tile;

static Status invalid(std::string message) {
  return {StatusCode::InvalidArgument, std::move(message)};
}

/// Returns the source element that each place of the result needs, as a linear map. The map takes
/// (register, lane, subgroup, index) to the source's dimensions.
static Result<LinearLayout> askedFor(const LinearLayout &source, const LinearLayout &result,
                                     unsigned dimension) {
  for (std::string_view name : {laneSpace, subgroupSpace})
    if (source.input(name).bits != result.input(name).bits)
      return invalid(print(source) + " and " + print(result) + " differ in the number of " +
                     std::string(name) + "s");
  bool agree = source.outputs().size() == result.outputs().size();
  for (size_t d = 0; agree && d < source.outputs().size(); ++d)
    agree = d == dimension || source.outputs()[d] == result.outputs()[d];
  if (!agree)
    return invalid(print(source) + " and " + print(result) +
                   " differ in more than the dimension that is gathered along");
  // The index is the last input, so it has the lowest bits.
  Field along = source.output(dimension);
  std::vector<uint64_t> columns;
  for (unsigned bit = 0; bit < along.bits; ++bit)
    columns.push_back(along.at(uint64_t(1) << bit));
  for (uint64_t image : result.columns()) {
    std::vector<uint64_t> coordinates = coordinatesOf(result.outputs(), image);
    coordinates[dimension] = 0;
    columns.push_back(pointOf(source.outputs(), coordinates));
  }
  std::vector<Space> inputs = result.inputs();
  inputs.push_back({std::string(indexSpace), along.bits});
  return LinearLayout::fromColumns(std::move(inputs), source.outputs(), std::move(columns));
}

/// Plans a gather within lanes, or else within subgroups. Returns nothing if it needs elements from
/// elsewhere.
static Result<std::optional<Gather>> withinSubgroups(const LinearLayout &source,
                                                     const LinearLayout &asked) {
  const std::string_view keep[] = {laneSpace, subgroupSpace};
  PUMICE_TRY(LinearLayout places, invertAndCompose(source, asked, keep));
  bool sameLane = true;
  for (const Space &space : asked.inputs())
    for (unsigned bit = 0; bit < space.bits; ++bit) {
      uint64_t place = places.columns(space.name)[bit];
      uint64_t expected = uint64_t(1) << bit;
      if (places.output(subgroupSpace).of(place) != (space.name == subgroupSpace ? expected : 0))
        return std::optional<Gather>();
      sameLane &= places.output(laneSpace).of(place) == (space.name == laneSpace ? expected : 0);
    }
  Gather gather;
  gather.movement = sameLane ? Movement::Registers : Movement::Shuffles;
  const std::string_view inputs[] = {registerSpace, laneSpace, subgroupSpace, indexSpace};
  const std::string_view outputs[] = {registerSpace, laneSpace};
  PUMICE_TRY(gather.places, sublayout(places, inputs, outputs));
  BitSpan differing;
  for (std::string_view name : {laneSpace, subgroupSpace, indexSpace})
    for (uint64_t place : gather.places.columns(name)) {
      uint64_t reg = gather.places.output(registerSpace).of(place);
      if (differing.add(reg))
        gather.candidates.push_back(reg);
    }
  return std::optional(std::move(gather));
}

Result<Gather> pumice::tile::planGather(const LinearLayout &source, const LinearLayout &result,
                                        unsigned dimension, unsigned elementBytes,
                                        const WorkgroupMemory &memory, uint64_t mostLookups) {
  PUMICE_RETURN_IF_ERROR(Axis::of(source, dimension).status());
  PUMICE_RETURN_IF_ERROR(Axis::of(result, dimension).status());
  PUMICE_TRY(LinearLayout asked, askedFor(source, result, dimension));
  PUMICE_TRY(std::optional<Gather> within, withinSubgroups(source, asked));
  if (within && within->lookups() <= mostLookups)
    return *std::move(within);
  // The source is stored as for a conversion to its own layout: in vectors, and without conflicts.
  PUMICE_TRY(MemoryTrip trip, planMemoryTrip(source, source, elementBytes, memory));
  if (trip.pieces > 1)
    return invalid("gathering from " + print(source) + " takes " +
                   std::to_string(trip.bytes * trip.pieces) +
                   " bytes of workgroup memory; there are " + std::to_string(memory.bytes));
  Gather gather;
  const std::string_view inputs[] = {registerSpace, laneSpace, subgroupSpace, indexSpace};
  const std::string_view outputs[] = {offsetSpace};
  PUMICE_TRY(LinearLayout places, compose(trip.addresses, asked));
  PUMICE_TRY(gather.places, sublayout(places, inputs, outputs));
  gather.store = std::move(trip.store);
  gather.bytes = trip.bytes;
  return gather;
}

std::string pumice::tile::describe(const Gather &gather) {
  if (gather.movement == Movement::Memory)
    return "workgroup memory: " + std::to_string(gather.bytes) + " bytes";
  return std::string(gather.movement == Movement::Shuffles ? "shuffles" : "registers") + ": " +
         std::to_string(gather.lookups()) + (gather.lookups() == 1 ? " lookup" : " lookups") +
         " a register";
}
