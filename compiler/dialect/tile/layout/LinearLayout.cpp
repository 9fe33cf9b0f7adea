//===- LinearLayout.cpp - which lane and register hold which element --------===//
#include "compiler/dialect/tile/layout/LinearLayout.h"

#include <algorithm>

using namespace pumice;
using namespace pumice::tile;

static Status invalid(std::string message) {
  return {StatusCode::InvalidArgument, std::move(message)};
}

std::string pumice::tile::dimensionName(unsigned number) { return "dim" + std::to_string(number); }

Result<unsigned> pumice::tile::bitsOf(uint64_t value, std::string_view what) {
  if (!std::has_single_bit(value))
    return invalid(std::string(what) + " is " + std::to_string(value) +
                   "; layout sizes must be powers of two");
  return static_cast<unsigned>(std::countr_zero(value));
}

unsigned pumice::tile::totalBits(std::span<const Space> spaces) {
  unsigned bits = 0;
  for (const Space &space : spaces)
    bits += space.bits;
  return bits;
}

std::vector<uint64_t> pumice::tile::coordinatesOf(std::span<const Space> spaces, uint64_t point) {
  std::vector<uint64_t> result(spaces.size());
  for (size_t i = spaces.size(); i-- > 0; point >>= spaces[i].bits)
    result[i] = point & (spaces[i].size() - 1);
  return result;
}

uint64_t pumice::tile::pointOf(std::span<const Space> spaces,
                               std::span<const uint64_t> coordinates) {
  uint64_t point = 0;
  for (size_t i = 0; i < spaces.size(); ++i)
    point = point << spaces[i].bits | (i < coordinates.size() ? coordinates[i] : 0);
  return point;
}

/// Checks that names are unique, and that all bits fit.
static Status checkSpaces(std::span<const Space> spaces, std::string_view what) {
  uint64_t bits = 0;
  for (size_t i = 0; i < spaces.size(); ++i) {
    bits += spaces[i].bits;
    for (size_t j = 0; j < i; ++j)
      if (spaces[i].name == spaces[j].name)
        return invalid("a layout has two " + std::string(what) + "s named '" + spaces[i].name +
                       "'");
  }
  if (bits > LinearLayout::maxBits)
    return invalid("the " + std::string(what) + "s of a layout have " + std::to_string(bits) +
                   " bits in total; the limit is " + std::to_string(LinearLayout::maxBits));
  return Status::ok();
}

Result<LinearLayout> LinearLayout::fromColumns(std::vector<Space> inputs,
                                               std::vector<Space> outputs,
                                               std::vector<uint64_t> columns) {
  PUMICE_RETURN_IF_ERROR(checkSpaces(inputs, "input"));
  PUMICE_RETURN_IF_ERROR(checkSpaces(outputs, "output"));
  if (columns.size() != totalBits(inputs))
    return invalid("a layout of " + std::to_string(totalBits(inputs)) + " bits of input is given " +
                   std::to_string(columns.size()) + " basis vectors; each bit needs one");
  for (uint64_t column : columns)
    if (column >> totalBits(outputs))
      return invalid("a basis vector is " + std::to_string(column) + ", but there are only " +
                     std::to_string(uint64_t(1) << totalBits(outputs)) + " points of output");
  LinearLayout result;
  result.ins = std::move(inputs);
  result.outs = std::move(outputs);
  result.images = std::move(columns);
  return result;
}

Result<LinearLayout> LinearLayout::fromBases(std::span<const Bases> inputs,
                                             std::vector<Space> outputs) {
  std::vector<Space> spaces;
  std::vector<uint64_t> columns;
  PUMICE_RETURN_IF_ERROR(checkSpaces(outputs, "output"));
  // The last space has the lowest bits of a point's number.
  for (size_t i = inputs.size(); i-- > 0;) {
    const Bases &bases = inputs[i];
    spaces.insert(spaces.begin(), {bases.name, static_cast<unsigned>(bases.images.size())});
    for (const std::vector<uint64_t> &image : bases.images) {
      if (image.size() != outputs.size())
        return invalid("a basis vector of '" + bases.name + "' has " +
                       std::to_string(image.size()) + " coordinates; the layout has " +
                       std::to_string(outputs.size()) + " outputs");
      for (size_t d = 0; d < image.size(); ++d)
        if (image[d] >= outputs[d].size())
          return invalid("a basis vector of '" + bases.name + "' has the coordinate " +
                         std::to_string(image[d]) + " in " + outputs[d].name + ", whose size is " +
                         std::to_string(outputs[d].size()));
      columns.push_back(pointOf(outputs, image));
    }
  }
  return fromColumns(std::move(spaces), std::move(outputs), std::move(columns));
}

Field LinearLayout::fieldOf(std::span<const Space> spaces, std::string_view name) {
  unsigned shift = 0;
  for (size_t i = spaces.size(); i-- > 0; shift += spaces[i].bits)
    if (spaces[i].name == name)
      return {shift, spaces[i].bits};
  return {};
}

Field LinearLayout::output(unsigned position) const {
  return position < outs.size() ? fieldOf(outs, outs[position].name) : Field();
}

unsigned LinearLayout::outputBits() const { return totalBits(outs); }

std::span<const uint64_t> LinearLayout::columns(std::string_view name) const {
  Field field = input(name);
  return std::span(images).subspan(field.shift, field.bits);
}

std::vector<uint64_t> LinearLayout::at(std::span<const uint64_t> coordinates) const {
  return coordinatesOf(outs, (*this)(pointOf(ins, coordinates)));
}
