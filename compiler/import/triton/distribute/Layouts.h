//===- Layouts.h - which layout a tensor of a kernel gets -------------------===//
// Where a tensor first gets a place, and which of several places an operation works in. All that
// knows the workgroup is here.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/tile/layout/LinearLayout.h"

#include <optional>
#include <span>

namespace pumice::triton::distribute {

/// A program's workgroup; `accessBytes`: as much as a lane should load or store at once, 0 for one
/// element (lanes of a SIMD register are neighbours, each with one).
struct Workgroup {
  uint64_t lanes = 16, subgroups = 1, accessBytes = 0;
  /// For tests: layouts that nobody would choose, by this number; 0: the best.
  uint64_t seed = 0;
};

/// Lanes along the dimensions in this order (the fastest first; empty: the last dimension is the
/// fastest), each with `perLane` neighbours along the fastest; subgroups along the slowest.
Result<tile::LinearLayout> blockLayout(std::span<const uint64_t> shape, const Workgroup &workgroup,
                                       std::span<const unsigned> order = {}, uint64_t perLane = 1);

/// Every lane of every subgroup holds the one element.
Result<tile::LinearLayout> oneElement(const Workgroup &workgroup);

/// Of the layouts in which some operands are held, the one in which working costs least: moves of
/// the others, and work that several lanes repeat. Of equals, the first.
const tile::LinearLayout &cheapest(std::span<const tile::LinearLayout> homes,
                                   unsigned elementBytes);

/// Lanes or subgroups hold the same elements although there are others.
bool hasNeedlessCopies(const tile::LinearLayout &layout);

} // namespace pumice::triton::distribute
