//===- Arrays.h - the arrays of SPIRV-Cross's text --------------------------===//
#pragma once

/// Stands for SPIRV-Cross's class, which has a function for each address space.
template <class T, size_t Count> struct spvUnsafeArray {
  T elements[Count ? Count : 1];
  constexpr T &operator[](size_t at) { return elements[at]; }
  constexpr const T &operator[](size_t at) const { return elements[at]; }
};

namespace shim {
inline uint first(uint x, uint, uint) { return x; }
} // namespace shim
