//===- TensorLayout.cpp - layouts of tensors, and free reshapes -------------===//
#include "compiler/dialect/tile/layout/TensorLayout.h"
#include "compiler/dialect/tile/layout/LayoutAlgebra.h"
#include "compiler/dialect/tile/layout/LayoutText.h"

#include <algorithm>
#include <numeric>

using namespace pumice;
using namespace pumice::tile;

static Status invalid(std::string message) {
  return {StatusCode::InvalidArgument, std::move(message)};
}

Result<LinearLayout> pumice::tile::tensorLayout(std::vector<Space> inputs,
                                                std::span<const unsigned> dimensions,
                                                std::vector<uint64_t> columns) {
  std::vector<Space> outputs;
  for (size_t d = 0; d < dimensions.size(); ++d)
    outputs.push_back({dimensionName(static_cast<unsigned>(d)), dimensions[d]});
  return LinearLayout::fromColumns(std::move(inputs), std::move(outputs), std::move(columns));
}

Status pumice::tile::checkTensor(const LinearLayout &layout) {
  for (size_t d = 0; d < layout.outputs().size(); ++d)
    if (layout.outputs()[d].name != dimensionName(static_cast<unsigned>(d)))
      return invalid("output " + std::to_string(d) + " of " + print(layout) +
                     " is not a dimension of a tensor");
  return Status::ok();
}

static std::vector<unsigned> dimensionBits(const LinearLayout &layout) {
  std::vector<unsigned> bits;
  for (const Space &space : layout.outputs())
    bits.push_back(space.bits);
  return bits;
}

static Status checkAxis(const LinearLayout &layout, unsigned axis, size_t count) {
  PUMICE_RETURN_IF_ERROR(checkTensor(layout));
  if (axis >= count)
    return invalid("there is no dimension " + std::to_string(axis) + " in " + print(layout));
  return Status::ok();
}

//===-------------------------------------------------------------------------===//
// Blocks
//===-------------------------------------------------------------------------===//

static Status checkBlocking(std::span<const uint64_t> shape, const Blocking &blocking) {
  for (size_t size : {blocking.perLane.size(), blocking.lanes.size(), blocking.subgroups.size(),
                      blocking.order.size()})
    if (size != shape.size())
      return invalid("a blocking of " + std::to_string(size) + " dimensions for a tensor of " +
                     std::to_string(shape.size()));
  std::vector<unsigned> sorted = blocking.order;
  std::ranges::sort(sorted);
  for (size_t d = 0; d < sorted.size(); ++d)
    if (sorted[d] != d)
      return invalid("the order of a blocking does not name dimension " + std::to_string(d));
  return Status::ok();
}

Result<LinearLayout> pumice::tile::blocked(std::span<const uint64_t> shape,
                                           const Blocking &blocking) {
  PUMICE_RETURN_IF_ERROR(checkBlocking(shape, blocking));
  std::vector<unsigned> left;
  for (uint64_t size : shape) {
    PUMICE_TRY(unsigned bits, bitsOf(size, "a tensor's size"));
    left.push_back(bits);
  }
  const std::vector<unsigned> whole = left;
  if (std::accumulate(whole.begin(), whole.end(), 0u) > LinearLayout::maxBits)
    return invalid("the tensor has more elements than a layout can have");
  // Each of these takes the lowest remaining bits of the dimensions. Bits beyond the tensor
  // distinguish copies.
  auto take = [&](const std::vector<uint64_t> &sizes,
                  std::string_view what) -> Result<std::vector<uint64_t>> {
    std::vector<uint64_t> columns;
    for (unsigned d : blocking.order) {
      PUMICE_TRY(unsigned bits, bitsOf(sizes[d], what));
      unsigned below = std::accumulate(whole.begin() + d + 1, whole.end(), 0u);
      for (unsigned bit = 0; bit < bits; ++bit) {
        columns.push_back(left[d] ? uint64_t(1) << (below + whole[d] - left[d]) : 0);
        left[d] -= left[d] != 0;
      }
    }
    return columns;
  };
  PUMICE_TRY(std::vector<uint64_t> registers, take(blocking.perLane, "a lane's part"));
  std::erase(registers, 0); // a register need not hold copies
  PUMICE_TRY(std::vector<uint64_t> lanes, take(blocking.lanes, "the number of lanes"));
  PUMICE_TRY(std::vector<uint64_t> subgroups, take(blocking.subgroups, "the number of subgroups"));
  std::vector<uint64_t> rest;
  for (unsigned bits : left)
    rest.push_back(uint64_t(1) << bits);
  PUMICE_TRY(std::vector<uint64_t> repeated, take(rest, "the rest"));
  registers.insert(registers.end(), repeated.begin(), repeated.end());

  std::vector<Space> inputs;
  for (auto &[name, columns] : {std::pair(registerSpace, &registers), std::pair(laneSpace, &lanes),
                                std::pair(subgroupSpace, &subgroups)})
    inputs.push_back({std::string(name), static_cast<unsigned>(columns->size())});
  std::vector<uint64_t> columns = subgroups;
  columns.insert(columns.end(), lanes.begin(), lanes.end());
  columns.insert(columns.end(), registers.begin(), registers.end());
  return tensorLayout(inputs, whole, columns);
}

Result<LinearLayout> pumice::tile::consecutive(std::span<const uint64_t> shape, uint64_t lanes,
                                               uint64_t perLane) {
  uint64_t elements = 1;
  for (uint64_t size : shape)
    elements *= size;
  PUMICE_TRY(LinearLayout flat,
             blocked(std::vector<uint64_t>{elements}, {{perLane}, {lanes}, {1}, {0}}));
  return reshape(flat, shape);
}

//===-------------------------------------------------------------------------===//
// Free changes of shape
//===-------------------------------------------------------------------------===//

Result<LinearLayout> pumice::tile::reshape(const LinearLayout &layout,
                                           std::span<const uint64_t> shape) {
  PUMICE_RETURN_IF_ERROR(checkTensor(layout));
  std::vector<unsigned> dimensions;
  unsigned bits = 0;
  for (uint64_t size : shape) {
    PUMICE_TRY(unsigned dimension, bitsOf(size, "a tensor's size"));
    dimensions.push_back(dimension);
    bits += dimension;
  }
  if (bits != layout.outputBits())
    return invalid(print(layout) + " has " + std::to_string(uint64_t(1) << layout.outputBits()) +
                   " elements; the new shape has 2^" + std::to_string(bits));
  return tensorLayout(layout.inputs(), dimensions,
                      {layout.columns().begin(), layout.columns().end()});
}

/// Returns the layout with other outputs. `change` converts the coordinates of each image.
template <typename Change>
static Result<LinearLayout> mapOutputs(const LinearLayout &layout,
                                       std::span<const unsigned> dimensions, Change change) {
  std::vector<Space> outputs;
  for (unsigned bits : dimensions)
    outputs.push_back({"", bits});
  std::vector<uint64_t> columns;
  for (uint64_t image : layout.columns())
    columns.push_back(pointOf(outputs, change(coordinatesOf(layout.outputs(), image))));
  return tensorLayout(layout.inputs(), dimensions, std::move(columns));
}

Result<LinearLayout> pumice::tile::transpose(const LinearLayout &layout,
                                             std::span<const unsigned> order) {
  PUMICE_RETURN_IF_ERROR(checkTensor(layout));
  std::vector<unsigned> sorted(order.begin(), order.end()), whole = dimensionBits(layout);
  std::ranges::sort(sorted);
  bool isPermutation = sorted.size() == whole.size();
  for (size_t d = 0; isPermutation && d < sorted.size(); ++d)
    isPermutation = sorted[d] == d;
  if (!isPermutation)
    return invalid("the order of a transposition does not name each dimension of " + print(layout) +
                   " once");
  std::vector<unsigned> dimensions;
  for (unsigned d : order)
    dimensions.push_back(whole[d]);
  return mapOutputs(layout, dimensions, [&](const std::vector<uint64_t> &coordinates) {
    std::vector<uint64_t> moved;
    for (unsigned d : order)
      moved.push_back(coordinates[d]);
    return moved;
  });
}

Result<LinearLayout> pumice::tile::expandDims(const LinearLayout &layout, unsigned axis) {
  PUMICE_RETURN_IF_ERROR(checkAxis(layout, axis, layout.outputs().size() + 1));
  std::vector<unsigned> dimensions = dimensionBits(layout);
  dimensions.insert(dimensions.begin() + axis, 0);
  return tensorLayout(layout.inputs(), dimensions,
                      {layout.columns().begin(), layout.columns().end()});
}

Result<LinearLayout> pumice::tile::broadcast(const LinearLayout &layout, unsigned axis,
                                             uint64_t size) {
  PUMICE_RETURN_IF_ERROR(checkAxis(layout, axis, layout.outputs().size()));
  PUMICE_TRY(unsigned bits, bitsOf(size, "a tensor's size"));
  if (layout.output(axis).bits)
    return invalid("dimension " + std::to_string(axis) + " of " + print(layout) +
                   " is not of size 1");
  PUMICE_TRY(LinearLayout along, identity(bits, registerSpace, dimensionName(axis)));
  return product(layout, along);
}

Result<LinearLayout> pumice::tile::collapse(const LinearLayout &layout, unsigned axis) {
  PUMICE_RETURN_IF_ERROR(checkAxis(layout, axis, layout.outputs().size()));
  std::vector<unsigned> dimensions = dimensionBits(layout);
  dimensions[axis] = 0;
  return mapOutputs(layout, dimensions, [&](std::vector<uint64_t> coordinates) {
    coordinates[axis] = 0;
    return coordinates;
  });
}

Result<LinearLayout> pumice::tile::beforeBroadcast(const LinearLayout &result, unsigned axis) {
  PUMICE_TRY(LinearLayout repeated, collapse(result, axis));
  return withoutFreeRegisters(repeated);
}

Result<LinearLayout> pumice::tile::removeDimension(const LinearLayout &layout, unsigned axis) {
  PUMICE_RETURN_IF_ERROR(checkAxis(layout, axis, layout.outputs().size()));
  std::vector<unsigned> dimensions = dimensionBits(layout);
  dimensions.erase(dimensions.begin() + axis);
  PUMICE_TRY(LinearLayout result,
             mapOutputs(layout, dimensions, [&](std::vector<uint64_t> coordinates) {
               coordinates.erase(coordinates.begin() + axis);
               return coordinates;
             }));
  return withoutFreeRegisters(result);
}

Result<LinearLayout> pumice::tile::join(const LinearLayout &layout) {
  PUMICE_RETURN_IF_ERROR(checkTensor(layout));
  unsigned last = static_cast<unsigned>(layout.outputs().size());
  PUMICE_TRY(LinearLayout pair, identity(1, registerSpace, dimensionName(last)));
  PUMICE_TRY(LinearLayout joined, product(pair, layout));
  // The product lists the pair's dimension first.
  std::vector<std::string_view> inputs, outputs;
  for (const Space &space : layout.inputs())
    inputs.push_back(space.name);
  if (std::ranges::find(inputs, registerSpace) == inputs.end())
    inputs.insert(inputs.begin(), registerSpace);
  for (const Space &space : layout.outputs())
    outputs.push_back(space.name);
  std::string name = dimensionName(last);
  outputs.push_back(name);
  return sublayout(joined, inputs, outputs);
}

Result<unsigned> pumice::tile::splitBit(const LinearLayout &layout) {
  PUMICE_RETURN_IF_ERROR(checkTensor(layout));
  if (layout.outputs().empty() || layout.outputs().back().bits != 1)
    return invalid("the last dimension of " + print(layout) + " is not of size 2");
  std::string where = " of " + print(layout) + " is not in a register bit of its own";
  std::optional<unsigned> found;
  for (const Space &space : layout.inputs())
    for (unsigned bit = 0; bit < space.bits; ++bit) {
      uint64_t image = layout.columns(space.name)[bit];
      if (!(image & 1))
        continue;
      if (image != 1 || space.name != registerSpace || found)
        return invalid("the last dimension" + where);
      found = bit;
    }
  if (!found)
    return invalid("the last dimension" + where);
  return *found;
}

Result<LinearLayout> pumice::tile::split(const LinearLayout &layout) {
  PUMICE_TRY(unsigned bit, splitBit(layout));
  PUMICE_TRY(LinearLayout half, dropInputBits(layout, registerSpace, uint64_t(1) << bit));
  std::vector<unsigned> dimensions = dimensionBits(layout);
  dimensions.pop_back();
  return mapOutputs(half, dimensions, [](std::vector<uint64_t> coordinates) {
    coordinates.pop_back();
    return coordinates;
  });
}

Result<LinearLayout> pumice::tile::beforeSplit(const LinearLayout &layout) {
  PUMICE_RETURN_IF_ERROR(checkTensor(layout));
  if (layout.outputs().empty() || layout.outputs().back().bits != 1)
    return invalid("the last dimension of " + print(layout) + " is not of size 2");
  PUMICE_TRY(LinearLayout half,
             removeDimension(layout, static_cast<unsigned>(layout.outputs().size()) - 1));
  return join(half);
}

Result<LinearLayout> pumice::tile::concatenate(const LinearLayout &layout) {
  PUMICE_RETURN_IF_ERROR(checkAxis(layout, 0, layout.outputs().size()));
  PUMICE_TRY(LinearLayout pair, identity(1, registerSpace, dimensionName(0)));
  return product(layout, pair);
}

Result<LinearLayout> pumice::tile::withoutFreeRegisters(const LinearLayout &layout) {
  std::vector<uint64_t> unused = freeBits(layout);
  for (size_t i = 0; i < unused.size(); ++i)
    if (layout.inputs()[i].name == registerSpace)
      return dropInputBits(layout, registerSpace, unused[i]);
  return layout;
}
