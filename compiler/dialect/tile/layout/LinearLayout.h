//===- LinearLayout.h - which lane and register hold which element ----------===//
// A layout maps points of some input spaces (register, lane, subgroup) to points of some output
// spaces (the dimensions of a tensor). The map is linear over F2: the image of a point is the XOR
// of the images of its set bits. A layout is therefore a list of basis vectors, one for each bit of
// the inputs. All sizes are powers of two. docs/tile.md draws small layouts.
//
// A point of several spaces is also one number, in row-major order: the last space has the lowest
// bits, as for elements of a tensor. Operations are in LayoutAlgebra.h, TensorLayout.h and
// LayoutText.h.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/tile/layout/BitSpan.h"
#include "support/Status.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pumice::tile {

/// The inputs of a distributed tensor, in this order.
inline constexpr std::string_view registerSpace = "register", laneSpace = "lane",
                                  subgroupSpace = "subgroup";

/// A named space of 2^bits points.
struct Space {
  std::string name;
  unsigned bits = 0;
  uint64_t size() const { return uint64_t(1) << bits; }
  bool operator==(const Space &) const = default;
};

/// The position of a space's bits in the number of a point. It has no bits if the space is missing.
struct Field {
  unsigned shift = 0, bits = 0;
  uint64_t mask() const { return ((uint64_t(1) << bits) - 1) << shift; }
  uint64_t of(uint64_t point) const { return (point & mask()) >> shift; }
  uint64_t at(uint64_t value) const { return (value << shift) & mask(); }
};

/// The images of the bits of one input, lowest bit first. Each has a coordinate for each output.
struct Bases {
  std::string name;
  std::vector<std::vector<uint64_t>> images;
};

class LinearLayout {
public:
  /// Limits the bits so that an input point and an output point together fit in a 64-bit word.
  static constexpr unsigned maxBits = 32;

  /// Makes a layout without spaces. It maps its only point to itself.
  LinearLayout() = default;

  /// Makes a layout from basis vectors. Errors: duplicate names, coordinates beyond their space,
  /// the wrong number of coordinates, or too many bits.
  static Result<LinearLayout> fromBases(std::span<const Bases> inputs, std::vector<Space> outputs);
  /// Does the same, but each image is the number of a point. There is an image for each bit of the
  /// input's number, lowest bit first.
  static Result<LinearLayout> fromColumns(std::vector<Space> inputs, std::vector<Space> outputs,
                                          std::vector<uint64_t> columns);

  const std::vector<Space> &inputs() const { return ins; }
  const std::vector<Space> &outputs() const { return outs; }
  unsigned inputBits() const { return static_cast<unsigned>(images.size()); }
  unsigned outputBits() const;
  Field input(std::string_view name) const { return fieldOf(ins, name); }
  Field output(std::string_view name) const { return fieldOf(outs, name); }
  Field output(unsigned position) const;

  /// Returns the image of each bit of the input's number.
  std::span<const uint64_t> columns() const { return images; }
  /// Returns the images of the bits of one input, lowest first, or nothing if the input is missing.
  std::span<const uint64_t> columns(std::string_view input) const;

  /// Returns the image of a point. The point and its image are numbers.
  uint64_t operator()(uint64_t point) const { return combine(images, point); }
  /// Returns the image of a point, by coordinates. Missing inputs are zero.
  std::vector<uint64_t> at(std::span<const uint64_t> inputs) const;

  unsigned rank() const { return BitSpan(images).rank(); }
  /// Returns whether every output is held somewhere.
  bool isSurjective() const { return rank() == outputBits(); }
  /// Returns whether no element is held twice.
  bool isInjective() const { return rank() == inputBits(); }
  bool isInvertible() const { return isSurjective() && isInjective(); }

  /// Returns whether both have the same spaces in the same order, and the same map.
  bool operator==(const LinearLayout &) const = default;

private:
  static Field fieldOf(std::span<const Space> spaces, std::string_view name);

  std::vector<Space> ins, outs;
  std::vector<uint64_t> images;
};

/// Returns the name of a tensor's dimension: "dim0", "dim1", ….
std::string dimensionName(unsigned number);

/// Returns log2 of a power of two. Errors: `value` is not a power of two. The error names it
/// `what`.
Result<unsigned> bitsOf(uint64_t value, std::string_view what);

unsigned totalBits(std::span<const Space> spaces);

/// Convert the number of a point to its coordinates, and back.
std::vector<uint64_t> coordinatesOf(std::span<const Space> spaces, uint64_t point);
uint64_t pointOf(std::span<const Space> spaces, std::span<const uint64_t> coordinates);

} // namespace pumice::tile
