//===- View.cpp - which elements of a buffer an argument reaches ------------===//
#include "runtime/hal/View.h"

#include "runtime/hal/Invalid.h"

#include <algorithm>

using pumice::executable::concat;
using pumice::executable::dynamic;

namespace pumice::hal {
namespace {

/// Returns the open extent of a flat buffer, which is the number of elements that fit.
int64_t extentIn(const executable::Argument &argument, int64_t offset, uint64_t length) {
  int64_t stride = argument.strides[0] == dynamic ? 1 : argument.strides[0];
  auto elements = static_cast<int64_t>(
      std::min<uint64_t>(length / elementBytes(argument), static_cast<uint64_t>(INT64_MAX)));
  if (offset >= elements)
    return 0;
  // If the stride is not positive, the length does not limit the extent.
  return stride > 0 ? (elements - offset - 1) / stride + 1 : 1;
}

Status resolveExtents(const executable::Argument &argument, const Argument &given, uint64_t length,
                      View &view) {
  size_t rank = argument.shape.size();
  for (size_t d = 0; d < rank; ++d) {
    int64_t fixed = argument.shape[d];
    if (!given.shape && fixed == dynamic) {
      if (rank != 1 || given.strides)
        return invalid("its extent ", d, " is dynamic: pass its shape");
      view.extents[d] = extentIn(argument, view.offset, length);
      continue;
    }
    view.extents[d] = given.shape ? given.shape[d] : fixed;
    if (fixed != dynamic && view.extents[d] != fixed)
      return invalid("its extent ", d, " is ", fixed, " in the code; ", view.extents[d],
                     " is given");
    if (view.extents[d] < 0)
      return invalid("its extent ", d, " is ", view.extents[d]);
  }
  return Status::ok();
}

Status resolveStrides(const executable::Argument &argument, const Argument &given, View &view) {
  int64_t rowMajor = 1;
  bool overflow = false;
  for (size_t d = argument.strides.size(); d-- > 0;) {
    int64_t fixed = argument.strides[d];
    bool open = fixed == dynamic;
    if (open && !given.strides && overflow)
      return invalid("its row-major stride ", d, " exceeds 64 bits");
    view.strides[d] = given.strides ? given.strides[d] : open ? rowMajor : fixed;
    if (!open && view.strides[d] != fixed)
      return invalid("its stride ", d, " is ", fixed, " in the code; ", view.strides[d],
                     " is given");
    overflow |= __builtin_mul_overflow(rowMajor, view.extents[d], &rowMajor);
  }
  return Status::ok();
}

} // namespace

Status resolveView(const executable::Argument &argument, const Argument &given, uint64_t length,
                   View &view) {
  size_t rank = argument.shape.size();
  if ((given.shape || given.strides) && given.rank != rank)
    return invalid("it has rank ", rank, "; a shape of rank ", given.rank, " is given");
  bool open = argument.offset == dynamic;
  view.offset = open ? given.offset : argument.offset;
  if (!open && given.offset != 0 && given.offset != argument.offset)
    return invalid("its offset is ", argument.offset, " elements in the code; ", given.offset,
                   " is given");
  if (view.offset < 0)
    return invalid("its offset is ", view.offset, " elements");
  PUMICE_RETURN_IF_ERROR(resolveExtents(argument, given, length, view));
  return resolveStrides(argument, given, view);
}

Result<uint64_t> reachOf(const executable::Argument &argument, const View &view) {
  int64_t first = view.offset, last = view.offset;
  bool overflow = false;
  for (size_t d = 0; d < argument.shape.size(); ++d) {
    if (view.extents[d] == 0)
      return uint64_t{0};
    int64_t step = 0;
    overflow |= __builtin_mul_overflow(view.extents[d] - 1, view.strides[d], &step);
    int64_t &end = step < 0 ? first : last;
    overflow |= __builtin_add_overflow(end, step, &end);
  }
  uint64_t bytes = 0;
  overflow |= last == INT64_MAX;
  if (!overflow && first < 0)
    return invalid("it reaches back to element ", first, ", before the start of its memory");
  overflow = overflow || __builtin_mul_overflow(static_cast<uint64_t>(last) + 1,
                                                elementBytes(argument), &bytes);
  if (overflow)
    return invalid("its extents, strides and offset reach further than 64 bits can count");
  return bytes;
}

} // namespace pumice::hal
