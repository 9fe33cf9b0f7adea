//===- Simd.h - vectors of the compiler target's width ----------------------===//
// Only files that are compiled for the building machine may include this.
//===-------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace pumice::bench::simd {

#if defined(__AVX512F__)
constexpr int lanes = 16;
#elif defined(__AVX2__)
constexpr int lanes = 8;
#else
constexpr int lanes = 4;
#endif

typedef float F __attribute__((vector_size(lanes * 4)));
typedef int32_t I __attribute__((vector_size(lanes * 4)));
typedef uint32_t U __attribute__((vector_size(lanes * 4)));

template <typename V, typename T> V load(const T *from) {
  V v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}
template <typename T, typename V> void store(T *to, V v) { __builtin_memcpy(to, &v, sizeof v); }

/// Returns 0 to `lanes` - 1.
inline F ramp() {
  F v;
  for (int i = 0; i < lanes; ++i)
    v[i] = float(i);
  return v;
}

inline float sum(F v) {
#pragma clang fp reassociate(on)
  float total = 0;
  for (int i = 0; i < lanes; ++i)
    total += v[i];
  return total;
}

inline float largest(F v) {
  float found = v[0];
  for (int i = 1; i < lanes; ++i)
    found = v[i] > found ? v[i] : found;
  return found;
}

inline F select(I condition, F yes, F no) { return condition ? yes : no; }

/// Returns 1 / sqrt(x) to within 2 units in the last place.
inline F inverseSqrt(F x) {
#if defined(__AVX512F__)
  F guess = (F)_mm512_rsqrt14_ps((__m512)x);
  return guess * (1.5f - 0.5f * x * guess * guess); // one Newton step
#else
  return 1.0f / __builtin_elementwise_sqrt(x);
#endif
}

/// Returns e to the x, for x up to 0, to within 2 units in the last place. It is 0 below -87.
inline F exponential(F x) {
  F n = __builtin_elementwise_roundeven(x * 1.44269504f);
  F r = x - n * 0.693359375f + n * 2.12194440e-4f; // ln 2 in two parts
  F p = r * 1.9875691500e-4f + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1.0f;
#if defined(__AVX512F__)
  return (F)_mm512_scalef_ps((__m512)p, (__m512)n);
#else
  I power = (I)p + (__builtin_convertvector(n, I) << 23);
  return select(x < -87.0f, F{}, (F)power);
#endif
}

template <int by, int... lane> U shiftedUp(U v, std::integer_sequence<int, lane...>) {
  return __builtin_shufflevector(U{}, v, (lanes + lane - by)...);
}
/// Shifts lanes up: lane i of the result is lane i - `by`, and zeros move in.
template <int by> U shiftUp(U v) {
  return shiftedUp<by>(v, std::make_integer_sequence<int, lanes>());
}

/// Returns running sums: lane i becomes the sum of lanes 0 to i.
inline U runningSum(U v) {
  v += shiftUp<1>(v);
  v += shiftUp<2>(v);
  if constexpr (lanes > 4)
    v += shiftUp<4>(v);
  if constexpr (lanes > 8)
    v += shiftUp<8>(v);
  return v;
}

} // namespace pumice::bench::simd
