//===- MeasuredLayout.cpp - the layout of a measured fragment ---------------===//
#include "compiler/dialect/tile/layout/MeasuredLayout.h"
#include "compiler/target/MatrixText.h"

using namespace pumice;
using namespace pumice::tile;

static Bases basesOf(std::string_view name, std::span<const target::FragmentMap::Base> bases) {
  Bases result{std::string(name), {}};
  for (const target::FragmentMap::Base &base : bases)
    result.images.push_back({base[0], base[1]});
  return result;
}

Result<LinearLayout> pumice::tile::measuredLayout(const target::FragmentMap &map) {
  if (map.scope != target::MatrixScope::Subgroup)
    return Status(StatusCode::Unsupported,
                  "a fragment with a layout must have the scope subgroup, got the scope " +
                      std::string(target::nameOf(map.scope)));
  PUMICE_TRY(unsigned rows, bitsOf(map.rows, "a fragment's number of rows"));
  PUMICE_TRY(unsigned columns, bitsOf(map.columns, "a fragment's number of columns"));
  const Bases inputs[] = {basesOf(registerSpace, map.components),
                          basesOf(laneSpace, map.lanes),
                          {std::string(subgroupSpace), {}}};
  return LinearLayout::fromBases(inputs, {{dimensionName(0), rows}, {dimensionName(1), columns}});
}
