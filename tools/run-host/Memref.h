//===- Memref.h - memrefs in the memory of compiled host code ---------------===//
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
  /// Reads {rank, pointer to the descriptor}.
  static Memref unranked(const void *descriptor, uint64_t elementBytes);

  bool isEmpty() const;
  /// Returns whether all its bytes have valid addresses. The functions below rely on this.
  bool fits() const;
  uint64_t elements() const;
  /// The bytes from `aligned` to the first element, and to the end of the last one. Empty: {0, 0}.
  struct Reach {
    int64_t first = 0, end = 0;
  };
  Reach reach() const;
};

/// Returns "2 x 3", or an empty text for rank 0.
std::string textOfSizes(std::span<const int64_t> sizes);

/// Returns whether memory of this many bytes is possible. Negative sizes are not.
bool canHave(std::span<const int64_t> sizes, uint64_t elementBytes);

/// Calls `each` for every run of elements that are contiguous in both a and b. It gets the element
/// offsets in a and b, and the number of elements. a and b have the same sizes.
void forEachRun(const Memref &a, const Memref &b,
                const std::function<void(int64_t atA, int64_t atB, uint64_t elements)> &each);

} // namespace pumice::run
