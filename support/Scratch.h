//===- Scratch.h - a short list on the stack --------------------------------===//
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

namespace pumice {

/// Holds `count` items: on the stack if there are at most `usual`, and otherwise on the heap. The
/// items are uninitialized, because initializing them would take as long as the rest of a launch.
template <typename T, size_t usual> class Scratch {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

public:
  explicit Scratch(size_t count) : count(count) {
    if (count > usual) [[unlikely]]
      heap = std::make_unique<T[]>(count);
  }
  std::span<T> items() { return {heap ? heap.get() : inlined(), count}; }

private:
  T *inlined() { return reinterpret_cast<T *>(storage); }

  alignas(T) std::byte storage[usual * sizeof(T)];
  std::unique_ptr<T[]> heap;
  size_t count;
};

} // namespace pumice
