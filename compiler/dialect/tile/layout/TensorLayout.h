//===- TensorLayout.h - layouts of tensors, and reshapes without moves ------===//
// The outputs are dim0, dim1, …, and the last has the lowest bits. The operations below cost
// nothing: they change only which coordinates the registers' elements have.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/tile/layout/LinearLayout.h"

#include <vector>

namespace pumice::tile {

/// Returns a layout from `inputs`, given by columns, to dimensions with these numbers of bits.
Result<LinearLayout> tensorLayout(std::vector<Space> inputs, std::span<const unsigned> dimensions,
                                  std::vector<uint64_t> columns);

/// Checks the outputs. Errors: they are not dim0, dim1, … in this order.
Status checkTensor(const LinearLayout &layout);

/// Describes how blocked() distributes each dimension of a tensor.
struct Blocking {
  std::vector<uint64_t> perLane, lanes, subgroups; // powers of two
  std::vector<unsigned> order;                     // of dimensions, with the fastest first
};

/// Returns the layout of a block of perLane · lanes · subgroups elements, repeated in further
/// registers until it covers the tensor. If the tensor is smaller than the block, its elements have
/// copies.
Result<LinearLayout> blocked(std::span<const uint64_t> shape, const Blocking &blocking);

/// Returns a layout of one subgroup whose lanes hold consecutive elements in row-major order:
/// element e is in lane e mod lanes. With `perLane` above 1, each lane holds that many neighbours.
/// CPUs use this layout.
Result<LinearLayout> consecutive(std::span<const uint64_t> shape, uint64_t lanes,
                                 uint64_t perLane = 1);

/// Returns the layout of the same elements, counted row by row, in another shape.
Result<LinearLayout> reshape(const LinearLayout &layout, std::span<const uint64_t> shape);
/// Returns a layout whose dimension i is dimension order[i] of the operand.
Result<LinearLayout> transpose(const LinearLayout &layout, std::span<const unsigned> order);
/// Adds a dimension of size 1 at `axis`.
Result<LinearLayout> expandDims(const LinearLayout &layout, unsigned axis);
/// Extends a dimension of size 1 to `size`. Each lane holds all of it, in further registers.
Result<LinearLayout> broadcast(const LinearLayout &layout, unsigned axis, uint64_t size);
/// Reduces a dimension to size 1. The bits that distinguished its elements now distinguish copies.
Result<LinearLayout> collapse(const LinearLayout &layout, unsigned axis);
/// Returns a layout of the operand for which a broadcast along `axis` gives `result` without moving
/// elements.
Result<LinearLayout> beforeBroadcast(const LinearLayout &result, unsigned axis);
/// Removes a dimension, as a reduction does. Every lane that held a part of it has a copy.
/// Registers that became copies are dropped.
Result<LinearLayout> removeDimension(const LinearLayout &layout, unsigned axis);
/// Joins two tensors of this layout along a new last dimension of size 2, in the lowest register
/// bit.
Result<LinearLayout> join(const LinearLayout &layout);
/// Returns the layout of each half of a split. Errors: the last dimension does not have size 2, or
/// no register bit stands for it alone. In this case, the operand must be converted to
/// `beforeSplit` first.
Result<LinearLayout> split(const LinearLayout &layout);
Result<LinearLayout> beforeSplit(const LinearLayout &layout);
/// Returns the number of the register bit that holds the last dimension alone, as split() needs.
Result<unsigned> splitBit(const LinearLayout &layout);
/// Concatenates two tensors of this layout along dim0: a new highest register bit.
Result<LinearLayout> concatenate(const LinearLayout &layout);

/// Removes the register bits that only distinguish copies.
Result<LinearLayout> withoutFreeRegisters(const LinearLayout &layout);

} // namespace pumice::tile
