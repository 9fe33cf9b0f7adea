//===- Math.h - Metal's functions of numbers --------------------------------===//
// Functions of f16 and f32 are computed in f64 or by the host's libm, so they are at least as exact
// as Metal requires. Min and max of floats are those of IEEE 754-2008, as Metal's are.
//===-------------------------------------------------------------------------===//
#pragma once

namespace metal {

template <class T, class U> inline T as_type(U value) { return __builtin_bit_cast(T, value); }

template <class T> struct SameType {
  using type = T;
};
template <class T> using Same = typename SameType<T>::type;

// Applies a function of scalars to each component of vectors. Scalars next to vectors are spread.
#define SHIM_LIFT1(name)                                                                           \
  template <class T, unsigned N> inline auto name(vec<T, N> a) {                                   \
    vec<decltype(name(a.data[0])), N> r;                                                           \
    for (unsigned i = 0; i < N; ++i)                                                               \
      r.data[i] = name(a.data[i]);                                                                 \
    return r;                                                                                      \
  }
#define SHIM_LIFT2(name)                                                                           \
  template <class T, unsigned N> inline vec<T, N> name(vec<T, N> a, Same<vec<T, N>> b) {           \
    for (unsigned i = 0; i < N; ++i)                                                               \
      a.data[i] = name(a.data[i], b.data[i]);                                                      \
    return a;                                                                                      \
  }
#define SHIM_LIFT3(name)                                                                           \
  template <class T, unsigned N>                                                                   \
  inline vec<T, N> name(vec<T, N> a, Same<vec<T, N>> b, Same<vec<T, N>> c) {                       \
    for (unsigned i = 0; i < N; ++i)                                                               \
      a.data[i] = name(a.data[i], b.data[i], c.data[i]);                                           \
    return a;                                                                                      \
  }

#define SHIM_FLOAT1(name, builtin)                                                                 \
  inline float name(float x) { return float(builtin(double(x))); }                                 \
  inline half name(half x) { return half(builtin(double(x))); }                                    \
  SHIM_LIFT1(name)
#define SHIM_FLOAT2(name, builtin)                                                                 \
  inline float name(float x, float y) { return float(builtin(double(x), double(y))); }             \
  inline half name(half x, half y) { return half(builtin(double(x), double(y))); }                 \
  SHIM_LIFT2(name)

namespace detail {
inline double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
inline double fract(double x) {
  double below = x - __builtin_floor(x);
  return below < 1.0 ? below : 0x1.fffffep-1;
}
inline double sign(double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : x == 0 ? x : 0.0; }
inline double sinpi(double x) { return __builtin_sin(x * 3.14159265358979323846); }
inline double cospi(double x) { return __builtin_cos(x * 3.14159265358979323846); }
} // namespace detail

// Before the functions of vectors, which use them.
#define SHIM_INTEGERS(M) M(char) M(uchar) M(short) M(ushort) M(int) M(uint) M(long) M(ulong)
#define SHIM_MINMAX(T)                                                                             \
  inline T min(T a, T b) { return b < a ? b : a; }                                                 \
  inline T max(T a, T b) { return a < b ? b : a; }
SHIM_INTEGERS(SHIM_MINMAX)

SHIM_FLOAT1(acos, __builtin_acos)
SHIM_FLOAT1(acosh, __builtin_acosh)
SHIM_FLOAT1(asin, __builtin_asin)
SHIM_FLOAT1(asinh, __builtin_asinh)
SHIM_FLOAT1(atan, __builtin_atan)
SHIM_FLOAT1(atanh, __builtin_atanh)
SHIM_FLOAT1(ceil, __builtin_ceil)
SHIM_FLOAT1(cos, __builtin_cos)
SHIM_FLOAT1(cosh, __builtin_cosh)
SHIM_FLOAT1(cospi, detail::cospi)
SHIM_FLOAT1(exp, __builtin_exp)
SHIM_FLOAT1(exp2, __builtin_exp2)
SHIM_FLOAT1(exp10, __builtin_exp10)
SHIM_FLOAT1(fabs, __builtin_fabs)
SHIM_FLOAT1(floor, __builtin_floor)
SHIM_FLOAT1(fract, detail::fract)
SHIM_FLOAT1(log, __builtin_log)
SHIM_FLOAT1(log2, __builtin_log2)
SHIM_FLOAT1(log10, __builtin_log10)
SHIM_FLOAT1(rint, __builtin_rint)
SHIM_FLOAT1(round, __builtin_round)
SHIM_FLOAT1(rsqrt, detail::rsqrt)
SHIM_FLOAT1(sign, detail::sign)
SHIM_FLOAT1(sin, __builtin_sin)
SHIM_FLOAT1(sinh, __builtin_sinh)
SHIM_FLOAT1(sinpi, detail::sinpi)
SHIM_FLOAT1(sqrt, __builtin_sqrt)
SHIM_FLOAT1(tan, __builtin_tan)
SHIM_FLOAT1(tanh, __builtin_tanh)
SHIM_FLOAT1(trunc, __builtin_trunc)
SHIM_FLOAT2(atan2, __builtin_atan2)
SHIM_FLOAT2(copysign, __builtin_copysign)
SHIM_FLOAT2(fdim, __builtin_fdim)
SHIM_FLOAT2(fmax, __builtin_fmax)
SHIM_FLOAT2(fmin, __builtin_fmin)
SHIM_FLOAT2(fmod, __builtin_fmod)
SHIM_FLOAT2(pow, __builtin_pow)
SHIM_FLOAT2(powr, __builtin_pow)
SHIM_FLOAT2(max, __builtin_fmax)
SHIM_FLOAT2(min, __builtin_fmin)

inline float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline half fma(half a, half b, half c) { return half(__builtin_fma(double(a), b, c)); }
SHIM_LIFT3(fma)
inline float mad(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline float ldexp(float x, int by) { return __builtin_ldexpf(x, by); }
inline half ldexp(half x, int by) { return half(__builtin_ldexp(double(x), by)); }
template <class T, unsigned N> inline vec<T, N> ldexp(vec<T, N> x, vec<int, N> by) {
  for (unsigned i = 0; i < N; ++i)
    x.data[i] = ldexp(x.data[i], by.data[i]);
  return x;
}
template <class T> inline T frexp(T x, int &exponent) {
  return T(__builtin_frexp(double(x), &exponent));
}
template <class T, unsigned N> inline vec<T, N> frexp(vec<T, N> x, vec<int, N> &exponent) {
  for (unsigned i = 0; i < N; ++i)
    x.data[i] = frexp(x.data[i], exponent.data[i]);
  return x;
}
template <class T> inline T modf(T x, T &whole) {
  whole = trunc(x);
  return copysign(T(isinf(x) ? T(0) : x - whole), x);
}

#define SHIM_TEST(name, test)                                                                      \
  inline bool name(float x) { return test; }                                                       \
  inline bool name(half x) { return test; }                                                        \
  SHIM_LIFT1(name)
SHIM_TEST(isnan, x != x)
SHIM_TEST(isinf, __builtin_fabs(double(x)) == __builtin_huge_val())
SHIM_TEST(isfinite, __builtin_fabs(double(x)) < __builtin_huge_val())
SHIM_TEST(signbit, __builtin_signbit(double(x)) != 0)

using unsigned_char = uchar;
using unsigned_uchar = uchar;
using unsigned_short = ushort;
using unsigned_ushort = ushort;
using unsigned_int = uint;
using unsigned_uint = uint;
using unsigned_long = ulong;
using unsigned_ulong = ulong;

#define SHIM_TEST2(name, test)                                                                     \
  inline bool name(float x, float y) { return test; }                                              \
  inline bool name(half x, half y) { return test; }                                                \
  template <class T, unsigned N> inline vec<bool, N> name(vec<T, N> a, Same<vec<T, N>> b) {        \
    vec<bool, N> r;                                                                                \
    for (unsigned i = 0; i < N; ++i)                                                               \
      r.data[i] = name(a.data[i], b.data[i]);                                                      \
    return r;                                                                                      \
  }
SHIM_TEST2(isunordered, x != x || y != y)
SHIM_TEST2(isordered, x == x && y == y)
SHIM_TEST(isnormal, __builtin_isnormal(x))

// Integers. Types narrower than int are given back as such.
#define SHIM_SIGNED(T)                                                                             \
  inline T abs(T x) { return T(x < 0 ? T(0) - x : x); }
SHIM_SIGNED(char)
SHIM_SIGNED(short)
SHIM_SIGNED(int)
SHIM_SIGNED(long)
inline float abs(float x) { return __builtin_fabsf(x); }
inline half abs(half x) { return half(__builtin_fabsf(float(x))); }
SHIM_LIFT1(abs)

#define SHIM_UNSIGNED(T) unsigned_##T
#define SHIM_BITS(T)                                                                               \
  inline T popcount(T x) { return T(__builtin_popcountg(SHIM_UNSIGNED(T)(x))); }                   \
  inline T clz(T x) { return T(__builtin_clzg(SHIM_UNSIGNED(T)(x), int(sizeof(T) * 8))); }         \
  inline T ctz(T x) { return T(__builtin_ctzg(SHIM_UNSIGNED(T)(x), int(sizeof(T) * 8))); }         \
  inline T reverse_bits(T x) {                                                                     \
    SHIM_UNSIGNED(T) from = SHIM_UNSIGNED(T)(x), to = 0;                                           \
    for (unsigned i = 0; i < sizeof(T) * 8; ++i)                                                   \
      to = SHIM_UNSIGNED(T)(to << 1 | (from >> i & 1));                                            \
    return T(to);                                                                                  \
  }                                                                                                \
  inline T extract_bits(T x, uint offset, uint bits) {                                             \
    constexpr uint width = sizeof(T) * 8;                                                          \
    if (bits == 0)                                                                                 \
      return 0;                                                                                    \
    T high = T(SHIM_UNSIGNED(T)(x) << (width - offset - bits));                                    \
    return T(high >> (width - bits));                                                              \
  }                                                                                                \
  inline T insert_bits(T base, T insert, uint offset, uint bits) {                                 \
    constexpr uint width = sizeof(T) * 8;                                                          \
    using U = SHIM_UNSIGNED(T);                                                                    \
    U mask = bits == 0 ? U(0) : U(U(U(~U(0)) >> (width - bits)) << offset);                        \
    return T((U(base) & U(~mask)) | (U(U(insert) << (bits ? offset : 0)) & mask));                 \
  }
SHIM_INTEGERS(SHIM_BITS)
SHIM_LIFT1(popcount)
SHIM_LIFT1(clz)
SHIM_LIFT1(ctz)
SHIM_LIFT1(reverse_bits)
template <class T, unsigned N> inline vec<T, N> extract_bits(vec<T, N> x, uint offset, uint bits) {
  for (unsigned i = 0; i < N; ++i)
    x.data[i] = extract_bits(x.data[i], offset, bits);
  return x;
}
template <class T, unsigned N>
inline vec<T, N> insert_bits(vec<T, N> x, vec<T, N> insert, uint offset, uint bits) {
  for (unsigned i = 0; i < N; ++i)
    x.data[i] = insert_bits(x.data[i], insert.data[i], offset, bits);
  return x;
}
inline int mulhi(int a, int b) { return int((long(a) * b) >> 32); }
inline uint mulhi(uint a, uint b) { return uint((ulong(a) * b) >> 32); }
inline long mulhi(long a, long b) { return long((__int128(a) * b) >> 64); }
inline ulong mulhi(ulong a, ulong b) { return ulong((unsigned __int128)(a)*b >> 64); }
SHIM_LIFT2(mulhi)

template <class T, class U, class V> inline auto clampTo(T x, U low, V high) {
  return min(max(x, T(low)), T(high));
}
#define SHIM_CLAMP(T)                                                                              \
  inline T clamp(T x, T low, T high) { return min(max(x, low), high); }
SHIM_INTEGERS(SHIM_CLAMP)
SHIM_CLAMP(float)
SHIM_CLAMP(half)
SHIM_LIFT3(clamp)
inline float mix(float a, float b, float t) { return a + (b - a) * t; }
inline half mix(half a, half b, half t) { return half(a + half(half(b - a) * t)); }
SHIM_LIFT3(mix)
inline float step(float edge, float x) { return x < edge ? 0.0f : 1.0f; }
SHIM_LIFT2(step)
inline float saturate(float x) { return min(max(x, 0.0f), 1.0f); }

template <class T> inline T select(T a, T b, bool condition) { return condition ? b : a; }
inline uint select(uint a, int b, bool condition) { return condition ? uint(b) : a; }
template <class T, unsigned N>
inline vec<T, N> select(vec<T, N> a, vec<T, N> b, vec<bool, N> condition) {
  for (unsigned i = 0; i < N; ++i)
    a.data[i] = condition.data[i] ? b.data[i] : a.data[i];
  return a;
}
template <unsigned N> inline bool any(vec<bool, N> v) {
  bool found = false;
  for (bool one : v.data)
    found |= one;
  return found;
}
template <unsigned N> inline bool all(vec<bool, N> v) {
  bool every = true;
  for (bool one : v.data)
    every &= one;
  return every;
}
inline bool any(bool v) { return v; }
inline bool all(bool v) { return v; }
template <class T, unsigned N> inline T dot(vec<T, N> a, vec<T, N> b) {
  T sum = 0;
  for (unsigned i = 0; i < N; ++i)
    sum = T(sum + T(a.data[i] * b.data[i]));
  return sum;
}

namespace fast {
using namespace metal;
inline float min(float a, float b) { return a < b ? a : b; } // a NaN gives either
inline float max(float a, float b) { return a > b ? a : b; }
inline half min(half a, half b) { return a < b ? a : b; }
inline half max(half a, half b) { return a > b ? a : b; }
SHIM_LIFT2(min)
SHIM_LIFT2(max)
inline float clamp(float x, float low, float high) { return min(max(x, low), high); }
} // namespace fast
namespace precise {
using namespace metal;
} // namespace precise

} // namespace metal
