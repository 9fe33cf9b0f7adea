//===- View.h - which elements of a buffer an argument reaches --------------===//
#pragma once

#include "executable/Validate.h"
#include "runtime/hal/Function.h"

namespace pumice::hal {

/// The complete shape of a buffer argument, in elements.
struct View {
  int64_t extents[executable::maxRank], strides[executable::maxRank]; // one for each dimension
  int64_t offset;
};

/// Returns the number of bytes of one element, with all components of a vector.
inline uint64_t elementBytes(const executable::Argument &argument) {
  return uint64_t{argument.elementBytes} * argument.vectorWidth;
}

/// Completes the view in `given`. Missing parts follow from `length`, the number of available
/// bytes. Errors: InvalidArgument if something is missing, or contradicts `argument`.
Status resolveView(const executable::Argument &argument, const Argument &given, uint64_t length,
                   View &view);

/// Returns the bytes from the start of the buffer to the end of the last element in the view.
/// Returns 0 if the view has no elements. Errors: InvalidArgument if the view begins before the
/// start of the buffer, or if its end does not fit in 64 bits.
Result<uint64_t> reachOf(const executable::Argument &argument, const View &view);

} // namespace pumice::hal
