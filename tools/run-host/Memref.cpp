//===- Memref.cpp - memrefs as compiled host code has them in memory --------===//
#include "tools/run-host/Memref.h"

#include <algorithm>
#include <cstring>
#include <vector>

using namespace pumice;
using namespace pumice::run;

Memref Memref::ranked(const void *descriptor, int64_t rank, uint64_t elementBytes) {
  auto words = static_cast<const int64_t *>(descriptor);
  Memref result;
  std::memcpy(&result.aligned, words + 1, sizeof result.aligned);
  result.offset = words[2];
  result.sizes = {words + 3, static_cast<size_t>(rank)};
  result.strides = {words + 3 + rank, static_cast<size_t>(rank)};
  result.elementBytes = elementBytes;
  return result;
}

Memref Memref::unranked(const void *descriptor, uint64_t elementBytes) {
  int64_t rank;
  const void *inner;
  std::memcpy(&rank, descriptor, sizeof rank);
  std::memcpy(&inner, static_cast<const std::byte *>(descriptor) + sizeof rank, sizeof inner);
  return ranked(inner, rank, elementBytes);
}

bool Memref::isEmpty() const {
  return std::any_of(sizes.begin(), sizes.end(), [](int64_t size) { return size <= 0; });
}

std::string run::textOfSizes(std::span<const int64_t> sizes) {
  std::string text;
  for (int64_t size : sizes)
    text += (text.empty() ? "" : " x ") + std::to_string(size);
  return text;
}

bool run::canHave(std::span<const int64_t> sizes, uint64_t elementBytes) {
  if (std::any_of(sizes.begin(), sizes.end(), [](int64_t size) { return size < 0; }))
    return false;
  if (std::any_of(sizes.begin(), sizes.end(), [](int64_t size) { return size == 0; }))
    return true;
  auto bytes = static_cast<int64_t>(elementBytes);
  return std::none_of(sizes.begin(), sizes.end(),
                      [&](int64_t size) { return __builtin_mul_overflow(bytes, size, &bytes); });
}

bool Memref::fits() const {
  if (isEmpty())
    return true;
  int64_t first = offset, last = offset;
  bool over = false;
  for (size_t d = 0; d < sizes.size(); ++d) {
    int64_t step;
    int64_t &end = strides[d] < 0 ? first : last;
    over |= __builtin_mul_overflow(sizes[d] - 1, strides[d], &step) ||
            __builtin_add_overflow(end, step, &end);
  }
  auto bytes = static_cast<int64_t>(elementBytes);
  over |= __builtin_mul_overflow(first, bytes, &first) ||
          __builtin_add_overflow(last, int64_t{1}, &last) ||
          __builtin_mul_overflow(last, bytes, &last) || __builtin_sub_overflow(last, first, &last);
  return !over;
}

uint64_t Memref::elements() const {
  uint64_t count = 1;
  for (int64_t size : sizes)
    count *= size > 0 ? static_cast<uint64_t>(size) : 0;
  return count;
}

Memref::Reach Memref::reach() const {
  if (isEmpty())
    return {};
  int64_t first = offset, last = offset;
  for (size_t d = 0; d < sizes.size(); ++d)
    (strides[d] < 0 ? first : last) += (sizes[d] - 1) * strides[d];
  auto bytes = static_cast<int64_t>(elementBytes);
  return {first * bytes, (last + 1) * bytes};
}

void run::forEachRun(const Memref &a, const Memref &b,
                     const std::function<void(int64_t, int64_t, uint64_t)> &each) {
  if (a.isEmpty())
    return;
  // Inner dimensions that are contiguous in both make one run.
  size_t outer = a.sizes.size();
  int64_t run = 1;
  while (outer > 0 &&
         (a.sizes[outer - 1] == 1 || (a.strides[outer - 1] == run && b.strides[outer - 1] == run)))
    run *= a.sizes[--outer];
  std::vector<int64_t> index(outer, 0);
  for (;;) {
    int64_t atA = a.offset, atB = b.offset;
    for (size_t d = 0; d < outer; ++d) {
      atA += index[d] * a.strides[d];
      atB += index[d] * b.strides[d];
    }
    each(atA, atB, static_cast<uint64_t>(run));
    size_t d = outer;
    while (d > 0 && ++index[d - 1] == a.sizes[d - 1])
      index[--d] = 0;
    if (d == 0)
      return;
  }
}
