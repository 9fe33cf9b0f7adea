//===- LibraryRounding.h - arithmetic rounded in a given direction ----------===//
#pragma once

#include "compiler/import/triton/distribute/LibraryCode.h"

namespace pumice::triton::distribute::library {

/// Returns the square root of an f32, correctly rounded to nearest.
Number roundedRoot(Number x);

/// A result, given as its rounded value and the rounding error. Their sum is exact.
struct Exact {
  Number rounded, rest;
};
Exact exactProduct(Number x, Number y);

enum class Direction { ToZero, Down, Up };

Number addRounded(Number x, Number y, Direction direction);
Number multiplyRounded(Number x, Number y, Direction direction);
Number divideRounded(Number x, Number y, Direction direction);
Number rootRounded(Number x, Direction direction);
Number fmaRounded(Number x, Number y, Number z, Direction direction);
/// Rounds f64 to f32 in the given direction.
Number narrowRounded(Number x, mlir::Type type, Direction direction);
Number fromIntegerRounded(Number x, mlir::Type type, bool isSigned, Direction direction);

} // namespace pumice::triton::distribute::library
