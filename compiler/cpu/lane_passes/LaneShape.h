//===- LaneShape.h - how a value differs among a subgroup's lanes -----------===//
// The shape of a value determines how SIMD code represents it. A uniform value is a scalar. A
// strided value is the scalar of the first lane, and a constant stride. Any other value is a
// vector.
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>

namespace pumice::cpu {

struct Shape {
  /// The kinds are in the order of the lattice. Unknown means that no execution has reached the
  /// value yet, or that none ever does.
  enum Kind : uint8_t { Unknown, Uniform, Strided, Varying };
  static constexpr uint64_t unbounded = ~uint64_t(0);
  static constexpr uint64_t anyAlignment = uint64_t(1) << 31;

  Kind kind = Unknown;
  int64_t stride = 0; // lane i holds first + i * stride
  uint64_t align = 1; // a power of two that divides each group's first value
  // If this is below 2^32, no lane's value is larger as an unsigned number, and no value has
  // wrapped.
  uint64_t max = unbounded;
  /// The size of aligned groups of lanes in which values are strided by `stride`. It is a power of
  /// two. For a scalar shape, one group has all lanes. For example, the rows of an 8-wide workgroup
  /// on 16 lanes are such groups.
  unsigned block = 1;

  bool known() const { return kind != Unknown; }
  bool uniform() const { return kind <= Uniform; }
  /// Returns whether one scalar represents all lanes.
  bool scalar() const { return kind <= Strided; }
  /// Returns whether sign extension preserves the stride. Zero extension preserves it for any
  /// bound.
  bool bounded() const { return max < (uint64_t(1) << 31); }

  bool operator==(const Shape &) const = default;

  static Shape uniformOf(uint64_t align = 1, uint64_t max = unbounded) {
    return {Uniform, 0, align, max, 64};
  }
  static Shape stridedBy(int64_t stride, uint64_t align = 1, uint64_t max = unbounded) {
    return {stride ? Strided : Uniform, stride, align, max, 64};
  }
  static Shape varying(uint64_t max = unbounded, unsigned block = 1, int64_t stride = 0,
                       uint64_t align = 1) {
    return {Varying, block > 1 ? stride : 0, block > 1 ? align : 1, max, block};
  }
  /// Returns a power of two that divides the first value of each aligned group of `lanes`. `lanes`
  /// must not exceed `block`.
  uint64_t alignOfEach(unsigned lanes) const;
};

/// Returns the shape of a variable that holds values of both shapes.
Shape join(const Shape &a, const Shape &b);

/// Returns the shape of the result of an element-wise operation. `lanes` is the subgroup's number
/// of lanes. `addressOnly` means that the result is only used for addresses. Addresses matter only
/// in active lanes, so lane 0's address and the stride suffice for them.
Shape shapeOfElementwise(mlir::Operation *op, unsigned lanes, bool addressOnly,
                         llvm::function_ref<Shape(mlir::Value)> shapeOf);

} // namespace pumice::cpu
