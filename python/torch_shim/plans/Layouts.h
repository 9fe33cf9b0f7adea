//===- Layouts.h - how the elements of tensors lie in memory ----------------===//
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/SmallVector.h>

#include <utility>

namespace pumice::vk {

/// Returns whether the elements fill a range of memory without gaps or overlaps.
bool isDense(const at::Tensor &tensor);
/// Returns the bytes of the storage that a tensor's elements lie in, as [first, end).
std::pair<int64_t, int64_t> spanOf(const at::Tensor &tensor);

/// The layout of a tensor, apart from its sizes. Dimensions of size 1 have no part in it.
struct Layout {
  explicit Layout(const at::Tensor &tensor);

  enum Kind : char {
    Contiguous = 'c', // as the sizes say
    Permuted = 'p',   // elements fill a range of memory, in another order
    Strided = 's'     // anything else
  };
  Kind kind;
  /// If permuted, the dimensions from the largest stride to the smallest. If strided, for each
  /// dimension '0' or '1' for these strides, and 's' for others.
  c10::SmallVector<char, 8> dims;
  /// The dimension of stride 1 with more than one element, or -1.
  int inner = -1;
  /// Whether its size is a multiple of 16, and 32 or more: code for such sizes is faster.
  bool isEven = false;
};

/// Returns whether two tensors have the same elements.
bool isSame(const at::Tensor &a, const at::Tensor &b);
/// Returns whether two elements may share memory.
bool mayOverlapItself(const at::Tensor &tensor);
/// Returns whether two tensors may share memory.
bool mayOverlap(const at::Tensor &a, const at::Tensor &b);

} // namespace pumice::vk
