//===- Layouts.cpp - compares where tensors lie in memory -------------------===//
#include "python/torch_shim/plans/Layouts.h"

#include <algorithm>

namespace pumice::vk {
namespace {

/// Returns the dimensions with more than one element, from the largest stride to the smallest.
c10::SmallVector<char, 8> inOrder(const at::Tensor &tensor) {
  c10::SmallVector<char, 8> dims;
  for (int64_t d = 0; d < tensor.dim(); ++d)
    if (tensor.size(d) > 1)
      dims.push_back(static_cast<char>(d));
  std::stable_sort(dims.begin(), dims.end(),
                   [&](char a, char b) { return tensor.stride(a) > tensor.stride(b); });
  return dims;
}

} // namespace

bool isDense(const at::Tensor &tensor) { return tensor.is_non_overlapping_and_dense(); }

std::pair<int64_t, int64_t> spanOf(const at::Tensor &tensor) {
  auto bytes = static_cast<int64_t>(tensor.element_size());
  int64_t first = tensor.storage_offset() * bytes;
  if (tensor.numel() == 0)
    return {first, first};
  int64_t last = 0;
  for (int64_t d = 0; d < tensor.dim(); ++d)
    last += (tensor.size(d) - 1) * tensor.stride(d);
  return {first, first + (last + 1) * bytes};
}

Layout::Layout(const at::Tensor &tensor) : kind(Contiguous) {
  for (int64_t d = tensor.dim(); d-- > 0 && inner < 0;)
    if (tensor.size(d) > 1 && tensor.stride(d) == 1)
      inner = static_cast<int>(d);
  isEven = inner >= 0 && tensor.size(inner) >= 32 && tensor.size(inner) % 16 == 0;
  if (tensor.is_contiguous())
    return;
  dims = inOrder(tensor);
  int64_t next = 1;
  bool isPermuted = true;
  for (size_t i = dims.size(); i-- > 0;) {
    isPermuted &= tensor.stride(dims[i]) == next;
    next *= tensor.size(dims[i]);
  }
  if (isPermuted) {
    kind = Permuted;
    return;
  }
  kind = Strided;
  dims.clear();
  for (int64_t d = 0; d < tensor.dim(); ++d) {
    int64_t stride = tensor.size(d) == 1 ? 0 : tensor.stride(d);
    dims.push_back(stride == 0 ? '0' : stride == 1 ? '1' : 's');
  }
}

bool isSame(const at::Tensor &a, const at::Tensor &b) {
  return a.const_data_ptr() == b.const_data_ptr() && a.scalar_type() == b.scalar_type() &&
         a.sizes() == b.sizes() && a.strides() == b.strides() && a.numel() > 0;
}

bool mayOverlapItself(const at::Tensor &tensor) {
  if (tensor.is_non_overlapping_and_dense() || tensor.numel() == 0)
    return false;
  c10::SmallVector<char, 8> dims = inOrder(tensor);
  int64_t last = 0; // the farthest element of the smaller dimensions
  for (size_t i = dims.size(); i-- > 0;) {
    if (tensor.stride(dims[i]) <= last)
      return true;
    last += (tensor.size(dims[i]) - 1) * tensor.stride(dims[i]);
  }
  return false;
}

bool mayOverlap(const at::Tensor &a, const at::Tensor &b) {
  if (!a.storage().is_alias_of(b.storage()) || a.numel() == 0 || b.numel() == 0)
    return false;
  auto [aFirst, aEnd] = spanOf(a);
  auto [bFirst, bEnd] = spanOf(b);
  return aFirst < bEnd && bFirst < aEnd;
}

} // namespace pumice::vk
