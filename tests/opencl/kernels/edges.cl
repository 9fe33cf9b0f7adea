// Functions of OpenCL C 6.15.2 at the edges of each type's domain: values, and the signs of zeros.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define SIGN_OF(R) (isnan(R) ? 0 : signbit(R) != 0)
#define UNARY_OF(PREFIX, T, F)                                                                     \
  kernel void PREFIX##_##F(global T *out, global int *signs, global const T *a) {                  \
    size_t i = get_global_id(0);                                                                   \
    T r = F(a[i]);                                                                                 \
    out[i] = r;                                                                                    \
    signs[i] = SIGN_OF(r);                                                                         \
  }
#define BINARY_OF(PREFIX, T, F)                                                                    \
  kernel void PREFIX##_##F(global T *out, global int *signs, global const T *a,                    \
                           global const T *b) {                                                    \
    size_t i = get_global_id(0);                                                                   \
    T r = F(a[i], b[i]);                                                                           \
    out[i] = r;                                                                                    \
    signs[i] = SIGN_OF(r);                                                                         \
  }
#define WITH_INTEGER_OF(PREFIX, T, F)                                                              \
  kernel void PREFIX##_##F(global T *out, global int *signs, global const T *a,                    \
                           global const int *n) {                                                  \
    size_t i = get_global_id(0);                                                                   \
    T r = F(a[i], n[i]);                                                                           \
    out[i] = r;                                                                                    \
    signs[i] = SIGN_OF(r);                                                                         \
  }
// The second result, a float or an integer, is written through a pointer.
#define PAIR_OF(PREFIX, T, F)                                                                      \
  kernel void PREFIX##_##F(global T *out, global int *signs, global T *second, global const T *a) { \
    size_t i = get_global_id(0);                                                                   \
    T other, r = F(a[i], &other);                                                                  \
    out[i] = r;                                                                                    \
    signs[i] = SIGN_OF(r) + 2 * SIGN_OF(other);                                                    \
    second[i] = other;                                                                             \
  }
#define PARTS_OF(PREFIX, T, F)                                                                     \
  kernel void PREFIX##_##F(global T *out, global int *signs, global int *second,                   \
                           global const T *a) {                                                    \
    size_t i = get_global_id(0);                                                                   \
    int other;                                                                                     \
    T r = F(a[i], &other);                                                                         \
    out[i] = r;                                                                                    \
    signs[i] = SIGN_OF(r);                                                                         \
    second[i] = other;                                                                             \
  }
#define TO_INTEGER_OF(PREFIX, T, F)                                                                \
  kernel void PREFIX##_##F(global int *out, global const T *a) {                                   \
    size_t i = get_global_id(0);                                                                   \
    out[i] = F(a[i]);                                                                              \
  }
#define REMQUO_OF(PREFIX, T)                                                                       \
  kernel void PREFIX##_remquo(global T *out, global int *signs, global int *second,                \
                              global const T *a, global const T *b) {                              \
    size_t i = get_global_id(0);                                                                   \
    int other;                                                                                     \
    T r = remquo(a[i], b[i], &other);                                                              \
    out[i] = r;                                                                                    \
    signs[i] = SIGN_OF(r);                                                                         \
    second[i] = other;                                                                             \
  }
#define VECTORS_OF(PREFIX, T)                                                                      \
  kernel void PREFIX##_vectors(global T *out, global const T##4 *a, global const T##4 *b) {        \
    size_t i = get_global_id(0), n = get_global_size(0);                                           \
    out[i] = length(a[i]);                                                                         \
    out[n + i] = distance(a[i], b[i]);                                                             \
    vstore4(normalize(a[i]), i, out + 2 * n);                                                      \
  }

#define EACH(MACRO, F) MACRO(h, half, F) MACRO(f, float, F) MACRO(d, double, F)
EACH(UNARY_OF, acos)
EACH(UNARY_OF, acosh)
EACH(UNARY_OF, acospi)
EACH(UNARY_OF, asin)
EACH(UNARY_OF, asinh)
EACH(UNARY_OF, asinpi)
EACH(UNARY_OF, atan)
EACH(UNARY_OF, atanh)
EACH(UNARY_OF, atanpi)
EACH(UNARY_OF, cbrt)
EACH(UNARY_OF, ceil)
EACH(UNARY_OF, cos)
EACH(UNARY_OF, cosh)
EACH(UNARY_OF, cospi)
EACH(UNARY_OF, erf)
EACH(UNARY_OF, erfc)
EACH(UNARY_OF, exp)
EACH(UNARY_OF, exp2)
EACH(UNARY_OF, exp10)
EACH(UNARY_OF, expm1)
EACH(UNARY_OF, fabs)
EACH(UNARY_OF, floor)
EACH(UNARY_OF, lgamma)
EACH(UNARY_OF, log)
EACH(UNARY_OF, log2)
EACH(UNARY_OF, log10)
EACH(UNARY_OF, log1p)
EACH(UNARY_OF, logb)
EACH(UNARY_OF, rint)
EACH(UNARY_OF, round)
EACH(UNARY_OF, rsqrt)
EACH(UNARY_OF, sign)
EACH(UNARY_OF, sin)
EACH(UNARY_OF, sinh)
EACH(UNARY_OF, sinpi)
EACH(UNARY_OF, sqrt)
EACH(UNARY_OF, tan)
EACH(UNARY_OF, tanh)
EACH(UNARY_OF, tanpi)
EACH(UNARY_OF, tgamma)
EACH(UNARY_OF, trunc)
EACH(UNARY_OF, degrees)
EACH(UNARY_OF, radians)
EACH(BINARY_OF, atan2)
EACH(BINARY_OF, atan2pi)
EACH(BINARY_OF, copysign)
EACH(BINARY_OF, fdim)
EACH(BINARY_OF, fmax)
EACH(BINARY_OF, fmin)
EACH(BINARY_OF, fmod)
EACH(BINARY_OF, hypot)
EACH(BINARY_OF, maxmag)
EACH(BINARY_OF, minmag)
EACH(BINARY_OF, nextafter)
EACH(BINARY_OF, pow)
EACH(BINARY_OF, powr)
EACH(BINARY_OF, remainder)
EACH(BINARY_OF, step)
EACH(WITH_INTEGER_OF, ldexp)
EACH(WITH_INTEGER_OF, pown)
EACH(WITH_INTEGER_OF, rootn)
EACH(PAIR_OF, fract)
EACH(PAIR_OF, modf)
EACH(PAIR_OF, sincos)
EACH(PARTS_OF, frexp)
EACH(PARTS_OF, lgamma_r)
EACH(TO_INTEGER_OF, ilogb)
REMQUO_OF(h, half)
VECTORS_OF(h, half)
REMQUO_OF(f, float)
VECTORS_OF(f, float)
REMQUO_OF(d, double)
VECTORS_OF(d, double)
