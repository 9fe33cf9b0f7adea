//===- LayoutAlgebra.cpp - products, quotients, compositions, inverses ------===//
#include "compiler/dialect/tile/layout/LayoutAlgebra.h"
#include "compiler/dialect/tile/layout/LayoutText.h"

#include <algorithm>
#include <bit>

using namespace pumice;
using namespace pumice::tile;

static Status invalid(std::string message) {
  return {StatusCode::InvalidArgument, std::move(message)};
}

static const Space *find(std::span<const Space> spaces, std::string_view name) {
  auto place = std::ranges::find(spaces, name, &Space::name);
  return place == spaces.end() ? nullptr : &*place;
}

static Field fieldIn(std::span<const Space> spaces, std::string_view name) {
  unsigned shift = 0;
  for (size_t i = spaces.size(); i-- > 0; shift += spaces[i].bits)
    if (spaces[i].name == name)
      return {shift, spaces[i].bits};
  return {};
}

/// Converts the number of a point to the number of the same point in spaces of another order. Drops
/// the spaces that `to` lacks.
static uint64_t renumber(uint64_t point, std::span<const Space> from, std::span<const Space> to) {
  uint64_t result = 0;
  for (const Space &space : to)
    result |= fieldIn(to, space.name).at(fieldIn(from, space.name).of(point));
  return result;
}

//===-------------------------------------------------------------------------===//
// Products
//===-------------------------------------------------------------------------===//

Result<LinearLayout> pumice::tile::identity(unsigned bits, std::string_view input,
                                            std::string_view output) {
  return strided(bits, 0, input, output);
}

Result<LinearLayout> pumice::tile::zeros(unsigned bits, std::string_view input,
                                         std::string_view output) {
  return LinearLayout::fromColumns({{std::string(input), bits}}, {{std::string(output), 0}},
                                   std::vector<uint64_t>(bits));
}

Result<LinearLayout> pumice::tile::strided(unsigned bits, unsigned shift, std::string_view input,
                                           std::string_view output) {
  if (bits > LinearLayout::maxBits || shift > LinearLayout::maxBits)
    return invalid("a layout of " + std::to_string(bits) + " bits, shifted up by " +
                   std::to_string(shift) + ", has more bits than a layout can have");
  std::vector<uint64_t> columns;
  for (unsigned bit = 0; bit < bits; ++bit)
    columns.push_back(uint64_t(1) << (bit + shift));
  return LinearLayout::fromColumns({{std::string(input), bits}},
                                   {{std::string(output), bits ? bits + shift : 0}}, columns);
}

/// Returns the spaces of both lists. The sizes of common spaces are multiplied.
static std::vector<Space> joined(std::span<const Space> low, std::span<const Space> high) {
  std::vector<Space> result(low.begin(), low.end());
  for (const Space &space : high) {
    auto place = std::ranges::find(result, space.name, &Space::name);
    if (place == result.end())
      result.push_back(space);
    else
      place->bits += space.bits;
  }
  return result;
}

Result<LinearLayout> pumice::tile::product(const LinearLayout &low, const LinearLayout &high) {
  std::vector<Space> ins = joined(low.inputs(), high.inputs());
  std::vector<Space> outs = joined(low.outputs(), high.outputs());
  if (totalBits(ins) > LinearLayout::maxBits || totalBits(outs) > LinearLayout::maxBits)
    return invalid("the product of " + print(low) + " and " + print(high) +
                   " has more bits than a layout can have");
  auto place = [&](const LinearLayout &factor, uint64_t image, bool above) {
    uint64_t result = 0;
    for (const Space &space : factor.outputs()) {
      unsigned up = above ? low.output(space.name).bits : 0;
      result |= factor.output(space.name).of(image) << (fieldIn(outs, space.name).shift + up);
    }
    return result;
  };
  std::vector<uint64_t> columns(totalBits(ins));
  for (const Space &space : ins) {
    uint64_t *column = columns.data() + fieldIn(ins, space.name).shift;
    for (uint64_t image : low.columns(space.name))
      *column++ = place(low, image, false);
    for (uint64_t image : high.columns(space.name))
      *column++ = place(high, image, true);
  }
  return LinearLayout::fromColumns(ins, outs, columns);
}

/// Returns the spaces of `whole` without the bits of `low`. Spaces that become empty are left out.
static Result<std::vector<Space>> divided(std::span<const Space> whole, std::span<const Space> low,
                                          const std::string &message) {
  for (const Space &space : low)
    if (const Space *there = find(whole, space.name); !there || there->bits < space.bits)
      return invalid(message + ": '" + space.name + "' has fewer bits in the whole");
  std::vector<Space> result;
  for (Space space : whole) {
    const Space *part = find(low, space.name);
    space.bits -= part ? part->bits : 0;
    if (space.bits || !part)
      result.push_back(space);
  }
  return result;
}

Result<LinearLayout> pumice::tile::quotient(const LinearLayout &whole, const LinearLayout &low) {
  std::string message = print(low) + " does not divide " + print(whole);
  PUMICE_TRY(std::vector<Space> ins, divided(whole.inputs(), low.inputs(), message));
  PUMICE_TRY(std::vector<Space> outs, divided(whole.outputs(), low.outputs(), message));
  std::vector<uint64_t> columns(totalBits(ins));
  for (const Space &space : ins) {
    unsigned skipped = low.input(space.name).bits;
    for (unsigned bit = 0; bit < space.bits; ++bit) {
      uint64_t image = whole.columns(space.name)[skipped + bit], rest = 0;
      for (const Space &out : whole.outputs()) {
        uint64_t value = whole.output(out.name).of(image);
        rest |= fieldIn(outs, out.name).at(value >> low.output(out.name).bits);
      }
      columns[fieldIn(ins, space.name).shift + bit] = rest;
    }
  }
  PUMICE_TRY(LinearLayout result, LinearLayout::fromColumns(ins, outs, columns));
  // The order of spaces may differ, but the map may not.
  PUMICE_TRY(LinearLayout again, product(low, result));
  for (const Space &space : whole.inputs())
    for (unsigned bit = 0; bit < space.bits; ++bit)
      if (renumber(again.columns(space.name)[bit], again.outputs(), whole.outputs()) !=
          whole.columns(space.name)[bit])
        return invalid(message + ": they differ at bit " + std::to_string(bit) + " of '" +
                       space.name + "'");
  return result;
}

//===-------------------------------------------------------------------------===//
// Compositions and inverses
//===-------------------------------------------------------------------------===//

static Status checkSameSpaces(std::span<const Space> a, std::span<const Space> b,
                              std::string_view message) {
  auto missing = [&](std::span<const Space> from, std::span<const Space> in) -> Status {
    for (const Space &space : from) {
      const Space *there = find(in, space.name);
      if ((there ? there->bits : 0) != space.bits)
        return invalid(std::string(message) + ": '" + space.name + "' has sizes " +
                       std::to_string(space.size()) + " and " +
                       std::to_string(there ? there->size() : 1));
    }
    return Status::ok();
  };
  PUMICE_RETURN_IF_ERROR(missing(a, b));
  return missing(b, a);
}

Result<LinearLayout> pumice::tile::compose(const LinearLayout &outer, const LinearLayout &inner) {
  PUMICE_RETURN_IF_ERROR(
      checkSameSpaces(inner.outputs(), outer.inputs(), "layouts do not follow each other"));
  std::vector<uint64_t> columns;
  for (uint64_t image : inner.columns())
    columns.push_back(outer(renumber(image, inner.outputs(), outer.inputs())));
  return LinearLayout::fromColumns(inner.inputs(), outer.outputs(), columns);
}

/// Returns the position of each bit of a layout's input in the number of a point. Bits of earlier
/// inputs come first, and lower bits of an input come before higher ones.
static std::vector<unsigned> bitsInOrder(const LinearLayout &layout) {
  std::vector<unsigned> order;
  for (const Space &space : layout.inputs())
    for (unsigned bit = 0; bit < space.bits; ++bit)
      order.push_back(layout.input(space.name).shift + bit);
  return order;
}

Result<LinearLayout> pumice::tile::inverse(const LinearLayout &layout) {
  if (!layout.isInvertible())
    return invalid(print(layout) + " cannot be inverted: of " + std::to_string(layout.inputBits()) +
                   " bits of input and " + std::to_string(layout.outputBits()) +
                   " of output, only " + std::to_string(layout.rank()) + " are independent");
  return rightInverse(layout);
}

Result<LinearLayout> pumice::tile::rightInverse(const LinearLayout &layout) {
  PUMICE_TRY(LinearLayout all, LinearLayout::fromColumns(layout.outputs(), layout.outputs(), [&] {
               std::vector<uint64_t> columns;
               for (unsigned bit = 0; bit < layout.outputBits(); ++bit)
                 columns.push_back(uint64_t(1) << bit);
               return columns;
             }()));
  return invertAndCompose(layout, all);
}

Result<LinearLayout> pumice::tile::invertAndCompose(const LinearLayout &from,
                                                    const LinearLayout &to,
                                                    std::span<const std::string_view> keep) {
  PUMICE_RETURN_IF_ERROR(
      checkSameSpaces(from.outputs(), to.outputs(), "layouts of different tensors"));
  unsigned rows = from.outputBits();
  for (std::string_view name : keep)
    rows += std::max(from.input(name).bits, to.input(name).bits);
  if (rows > 64)
    return invalid("inputs of " + print(from) + " and " + print(to) + " are too large together");
  std::vector<unsigned> order = bitsInOrder(from);
  // In the system for the first n kept inputs, the bits of these inputs are rows above those of the
  // elements.
  for (size_t kept = keep.size() + 1; kept-- > 0;) {
    auto fixed = [&](const LinearLayout &layout, uint64_t point) {
      uint64_t rows = 0;
      for (std::string_view name : keep.last(kept)) {
        unsigned bits = std::max(from.input(name).bits, to.input(name).bits);
        rows = rows << bits | layout.input(name).of(point);
      }
      return rows << from.outputBits();
    };
    BitSpan system;
    for (unsigned bit : order)
      system.add(from.columns()[bit] | fixed(from, uint64_t(1) << bit));
    std::vector<uint64_t> columns;
    for (unsigned bit = 0; bit < to.inputBits(); ++bit) {
      uint64_t element = renumber(to.columns()[bit], to.outputs(), from.outputs());
      auto found = system.express(element | fixed(to, uint64_t(1) << bit));
      if (!found)
        break;
      uint64_t point = 0;
      for (size_t i = 0; i < order.size(); ++i)
        point |= (*found >> i & 1) << order[i];
      columns.push_back(point);
    }
    if (columns.size() == to.inputBits())
      return LinearLayout::fromColumns(to.inputs(), from.inputs(), columns);
  }
  return invalid(print(from) + " does not hold all elements of " + print(to));
}

//===-------------------------------------------------------------------------===//
// Parts
//===-------------------------------------------------------------------------===//

Result<LinearLayout> pumice::tile::sublayout(const LinearLayout &layout,
                                             std::span<const std::string_view> inputs,
                                             std::span<const std::string_view> outputs) {
  auto chosen = [&](std::span<const Space> spaces,
                    std::span<const std::string_view> names) -> Result<std::vector<Space>> {
    std::vector<Space> result;
    for (std::string_view name : names) {
      const Space *space = find(spaces, name);
      if (!space)
        return invalid("there is no '" + std::string(name) + "' in " + print(layout));
      result.push_back(*space);
    }
    return result;
  };
  PUMICE_TRY(std::vector<Space> ins, chosen(layout.inputs(), inputs));
  PUMICE_TRY(std::vector<Space> outs, chosen(layout.outputs(), outputs));
  std::vector<uint64_t> columns;
  for (size_t i = ins.size(); i-- > 0;)
    for (uint64_t image : layout.columns(ins[i].name))
      columns.push_back(renumber(image, layout.outputs(), outs));
  return LinearLayout::fromColumns(ins, outs, columns);
}

Result<LinearLayout> pumice::tile::padInput(const LinearLayout &layout, std::string_view input,
                                            unsigned bits) {
  unsigned present = layout.input(input).bits;
  if (present > bits)
    return invalid("'" + std::string(input) + "' has " + std::to_string(present) +
                   " bits already, more than " + std::to_string(bits));
  PUMICE_TRY(LinearLayout copies,
             LinearLayout::fromColumns({{std::string(input), bits - present}}, {},
                                       std::vector<uint64_t>(bits - present)));
  return product(layout, copies);
}

Result<LinearLayout> pumice::tile::dropInputBits(const LinearLayout &layout, std::string_view input,
                                                 uint64_t which) {
  std::vector<Space> ins = layout.inputs();
  std::vector<uint64_t> columns;
  for (size_t i = ins.size(); i-- > 0;) {
    std::span<const uint64_t> images = layout.columns(ins[i].name);
    bool here = ins[i].name == input;
    for (size_t bit = 0; bit < images.size(); ++bit) {
      if (here && which >> bit & 1)
        --ins[i].bits;
      else
        columns.push_back(images[bit]);
    }
  }
  return LinearLayout::fromColumns(ins, layout.outputs(), columns);
}

std::vector<uint64_t> pumice::tile::freeBits(const LinearLayout &layout) {
  std::vector<uint64_t> result;
  BitSpan before;
  for (const Space &space : layout.inputs()) {
    uint64_t bits = 0;
    std::span<const uint64_t> images = layout.columns(space.name);
    for (size_t bit = 0; bit < images.size(); ++bit)
      bits |= uint64_t(!before.add(images[bit])) << bit;
    result.push_back(bits);
  }
  return result;
}

unsigned pumice::tile::contiguousBits(const LinearLayout &layout, std::string_view input,
                                      std::string_view output) {
  Field along = layout.output(output);
  unsigned count = 0;
  for (uint64_t image : layout.columns(input)) {
    if (count == along.bits || image != along.at(uint64_t(1) << count))
      break;
    ++count;
  }
  for (const Space &space : layout.inputs()) {
    std::span<const uint64_t> columns = layout.columns(space.name);
    for (uint64_t image : columns.subspan(space.name == input ? count : 0))
      count = std::min(count, static_cast<unsigned>(std::countr_zero(along.of(image))));
  }
  return count;
}
