//===- Memref.h - memrefs as compiled host code has them in memory ----------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace pumice::run {

/// The content of a descriptor: {allocated, aligned, offset, sizes[rank], strides[rank]}.
struct Memref {
  std::byte *aligned = nullptr;
  int64_t offset = 0;
  std::span<const int64_t> sizes, strides;
  uint64_t elementBytes = 0;

  /// Reads a descriptor of known rank.
  static Memref ranked(const void *descriptor, int64_t rank, uint64_t elementBytes);
  /// Of {rank, pointer to the descriptor}.
  static Memref unranked(const void *descriptor, uint64_t elementBytes);

  bool isEmpty() const;
  /// Whether all bytes that it reaches have addresses at all; what else is asked counts on that.
  bool fits() const;
  uint64_t elements() const;
  /// Bytes from `aligned` to the first element's, and beyond the last one's. Empty: {0, 0}.
  struct Reach {
    int64_t first = 0, end = 0;
  };
  Reach reach() const;
};

/// "2 x 3"; nothing for those of rank 0.
std::string textOfSizes(std::span<const int64_t> sizes);

/// Whether there can be memory of this many bytes; false, too, where a size is negative.
bool canHave(std::span<const int64_t> sizes, uint64_t elementBytes);

/// Calls `each` for every run of elements that are contiguous in both a and b. It gets the element
/// offsets in a and b, and the number of elements. a and b have the same sizes.
void forEachRun(const Memref &a, const Memref &b,
                const std::function<void(int64_t atA, int64_t atB, uint64_t elements)> &each);

} // namespace pumice::run
