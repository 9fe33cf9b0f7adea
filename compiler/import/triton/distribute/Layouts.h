//===- Layouts.h - chooses layouts for a kernel's tensors -------------------===//
// Chooses the first layout of a tensor, and the layout in which an operation works if its operands
// have several. Only this code knows the workgroup.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/tile/layout/LinearLayout.h"

#include <optional>
#include <span>

namespace pumice::triton::distribute {

/// A program's workgroup. `accessBytes` is the number of bytes that a lane should load or store at
/// once, or 0 for a single element. A single element suits the lanes of a SIMD register, because
/// they are neighbours.
struct Workgroup {
  uint64_t lanes = 16, subgroups = 1, accessBytes = 0;
  /// Used by tests: the seed of random layouts. 0 means the best layouts.
  uint64_t seed = 0;
};

/// Returns a layout with lanes along the dimensions in the given order. Each lane holds `perLane`
/// neighbours along the fastest dimension. The order begins with the fastest dimension. If it is
/// empty, the last dimension is the fastest. Subgroups are along the slowest dimension. Lanes hold
/// at most `most` neighbours of the fastest dimension together, and registers the rest.
Result<tile::LinearLayout> blockLayout(std::span<const uint64_t> shape, const Workgroup &workgroup,
                                       std::span<const unsigned> order = {}, uint64_t perLane = 1,
                                       uint64_t most = ~uint64_t(0));

/// Returns a layout of a single element, which every lane of every subgroup holds.
Result<tile::LinearLayout> oneElement(const Workgroup &workgroup);

/// Returns the cheapest of the layouts in which the operands are held, or the first of several. The
/// cost includes conversions of the other operands, and work that several lanes repeat.
const tile::LinearLayout &cheapest(std::span<const tile::LinearLayout> homes,
                                   unsigned elementBytes);

/// Returns whether lanes or subgroups hold copies, although there are more elements that could be
/// distributed.
bool hasNeedlessCopies(const tile::LinearLayout &layout);

} // namespace pumice::triton::distribute
