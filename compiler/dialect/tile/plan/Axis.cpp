//===- Axis.cpp - one dimension of a tensor, and the others -----------------===//
#include "compiler/dialect/tile/plan/Axis.h"
#include "compiler/dialect/tile/layout/LayoutText.h"

using namespace pumice;
using namespace pumice::tile;

Result<Axis> Axis::of(const LinearLayout &layout, unsigned dimension) {
  PUMICE_RETURN_IF_ERROR(checkDistributed(layout));
  if (dimension >= layout.outputs().size())
    return Status(StatusCode::InvalidArgument,
                  "there is no dimension " + std::to_string(dimension) + " in " + print(layout));
  Axis axis;
  axis.field = layout.output(dimension);
  Distributed places(layout);
  for (std::span<const uint64_t> part : {places.registers, places.lanes, places.subgroups})
    axis.columns.insert(axis.columns.end(), part.begin(), part.end());
  axis.registers = static_cast<unsigned>(places.registers.size());
  axis.lanes = static_cast<unsigned>(places.lanes.size());
  return axis;
}

std::vector<uint64_t> Axis::otherImages() const {
  std::vector<uint64_t> result;
  for (uint64_t image : columns)
    result.push_back(others(image));
  return result;
}

Place Axis::place(uint64_t bits) const {
  return {bits & ((uint64_t(1) << registers) - 1), bits >> registers & ((uint64_t(1) << lanes) - 1),
          bits >> (registers + lanes)};
}

uint64_t Axis::element(const Place &place) const {
  return combine(columns,
                 place.reg | place.lane << registers | place.subgroup << (registers + lanes));
}

Place Axis::neighbour(unsigned bit) const {
  return place(BitSpan(columns).express(field.at(uint64_t(1) << bit)).value_or(0));
}

PlaceBit Axis::coordinateBit(unsigned bit) const {
  uint64_t which = 0;
  for (size_t i = 0; i < columns.size(); ++i)
    which |= (along(columns[i]) >> bit & 1) << i;
  return {place(which)};
}
