//===- Layouts.h - chooses layouts for a kernel's tensors -----------------===//
// This chooses the first layout of a tensor, and the one of several layouts that an operation works
// in. Only this code knows the workgroup.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/tile/layout/LinearLayout.h"

#include <optional>
#include <span>

namespace pumice::triton::distribute {

/// A program's workgroup. `accessBytes` is the number of bytes that a lane should load or store at
/// once. If it is 0, that is one element, since lanes of a SIMD register are neighbours.
struct Workgroup {
  uint64_t lanes = 16, subgroups = 1, accessBytes = 0;
  /// For tests: the seed of random layouts; 0: the best layouts.
  uint64_t seed = 0;
};

/// Returns a layout with lanes along the dimensions in the given order, each with `perLane`
/// neighbours along the fastest dimension. The order begins with the fastest dimension; if it is
/// empty, the last dimension is the fastest. Subgroups are along the slowest dimension.
Result<tile::LinearLayout> blockLayout(std::span<const uint64_t> shape, const Workgroup &workgroup,
                                       std::span<const unsigned> order = {}, uint64_t perLane = 1);

/// Returns a layout in which every lane of every subgroup holds the one element.
Result<tile::LinearLayout> oneElement(const Workgroup &workgroup);

/// Returns the cheapest of the layouts in which operands are held, the first one on a tie. The cost
/// counts conversions of the other operands, and work that several lanes repeat.
const tile::LinearLayout &cheapest(std::span<const tile::LinearLayout> homes,
                                   unsigned elementBytes);

/// Returns whether lanes or subgroups hold copies although there are further elements to
/// distribute.
bool hasNeedlessCopies(const tile::LinearLayout &layout);

} // namespace pumice::triton::distribute
