//===- AlignedMemory.h - memory at a multiple of an alignment, for tests ----===//
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace pumice::testing_support {

struct AlignedDeleter {
  std::align_val_t alignment{1};
  void operator()(void *memory) const { ::operator delete(memory, alignment); }
};

using AlignedMemory = std::unique_ptr<void, AlignedDeleter>;

/// Returns memory whose address is a multiple of `alignment`, or null. Windows lacks aligned_alloc.
inline AlignedMemory alignedMemory(size_t alignment, size_t bytes) {
  std::align_val_t wanted{alignment};
  return AlignedMemory(::operator new(bytes, wanted, std::nothrow), AlignedDeleter{wanted});
}

} // namespace pumice::testing_support
