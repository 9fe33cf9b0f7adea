//===- TensorLayout.h - layouts of tensors, and what reshapes them freely ---===//
// The outputs are dim0, dim1, …, of which the last counts fastest. Each of the operations below is
// free: it renames what the registers hold, and moves nothing.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/tile/layout/LinearLayout.h"

#include <vector>

namespace pumice::tile {

/// A layout of the inputs given by columns onto dimensions of these bits.
Result<LinearLayout> tensorLayout(std::vector<Space> inputs, std::span<const unsigned> dimensions,
                                  std::vector<uint64_t> columns);

/// Errors: the outputs are not dim0, dim1, … in this order.
Status checkTensor(const LinearLayout &layout);

/// How blocked() deals a tensor out, for each dimension.
struct Blocking {
  std::vector<uint64_t> perLane, lanes, subgroups; // powers of two
  std::vector<unsigned> order;                     // of dimensions, the fastest first
};

/// A block of perLane · lanes · subgroups elements, repeated in further registers until it covers
/// the tensor. Where the tensor is smaller than the block, it is held several times.
Result<LinearLayout> blocked(std::span<const uint64_t> shape, const Blocking &blocking);

/// Returns a layout of one subgroup whose lanes hold consecutive elements in row-major order:
/// element e is in lane e mod lanes. With `perLane` above 1, each lane holds that many neighbours.
/// CPUs use this layout.
Result<LinearLayout> consecutive(std::span<const uint64_t> shape, uint64_t lanes,
                                 uint64_t perLane = 1);

/// The same elements, counted row by row, in another shape.
Result<LinearLayout> reshape(const LinearLayout &layout, std::span<const uint64_t> shape);
/// Dimension i of the result is dimension order[i] of the operand.
Result<LinearLayout> transpose(const LinearLayout &layout, std::span<const unsigned> order);
/// A dimension of size 1 at `axis`.
Result<LinearLayout> expandDims(const LinearLayout &layout, unsigned axis);
/// A dimension of size 1 becomes one of `size`: each lane holds all of it, in registers above.
Result<LinearLayout> broadcast(const LinearLayout &layout, unsigned axis, uint64_t size);
/// A dimension becomes one of size 1: what tells its elements apart tells copies apart.
Result<LinearLayout> collapse(const LinearLayout &layout, unsigned axis);
/// Returns the layout of an operand whose broadcast along `axis` has this layout without moving
/// elements.
Result<LinearLayout> beforeBroadcast(const LinearLayout &result, unsigned axis);
/// The tensor without a dimension: what a reduction leaves, with copies in every lane that took
/// part. Registers that became copies are dropped.
Result<LinearLayout> removeDimension(const LinearLayout &layout, unsigned axis);
/// Two tensors of this layout as one with a new last dimension of size 2, in the lowest register
/// bit.
Result<LinearLayout> join(const LinearLayout &layout);
/// Returns the layout of each half of a split. Errors: the last dimension is not of size 2, or is
/// not in a register bit of its own. Then `beforeSplit` returns the layout to convert the operand
/// to.
Result<LinearLayout> split(const LinearLayout &layout);
Result<LinearLayout> beforeSplit(const LinearLayout &layout);
/// The number of the register bit that holds the last dimension alone, as split() needs.
Result<unsigned> splitBit(const LinearLayout &layout);
/// Two tensors of this layout one after the other along dim0: a new highest register bit.
Result<LinearLayout> concatenate(const LinearLayout &layout);

/// Without the register bits that only make copies.
Result<LinearLayout> withoutFreeRegisters(const LinearLayout &layout);

} // namespace pumice::tile
