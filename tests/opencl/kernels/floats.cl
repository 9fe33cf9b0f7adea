// Functions of floats (OpenCL C 6.15.2), with one element per invocation.
#define UNARY(NAME, T, A, EXPR)                                                                    \
  kernel void NAME(global T *out, global const A *a) {                                             \
    size_t i = get_global_id(0);                                                                   \
    A x = a[i];                                                                                    \
    out[i] = EXPR;                                                                                 \
  }
#define BINARY(NAME, T, A, EXPR)                                                                   \
  kernel void NAME(global T *out, global const A *a, global const A *b) {                          \
    size_t i = get_global_id(0);                                                                   \
    A x = a[i], y = b[i];                                                                          \
    out[i] = EXPR;                                                                                 \
  }

UNARY(f_acospi, float, float, acospi(x))
UNARY(f_asinh, float, float, asinh(x))
UNARY(f_atanpi, float, float, atanpi(x))
UNARY(f_cbrt, float, float, cbrt(x))
UNARY(f_cospi, float, float, cospi(x))
UNARY(f_erf, float, float, erf(x))
UNARY(f_erfc, float, float, erfc(x))
UNARY(f_exp, float, float, exp(x))
UNARY(f_exp10, float, float, exp10(x))
UNARY(f_expm1, float, float, expm1(x))
UNARY(f_ilogb, int, float, ilogb(x))
UNARY(f_lgamma, float, float, lgamma(x))
UNARY(f_log, float, float, log(x))
UNARY(f_log10, float, float, log10(x))
UNARY(f_log1p, float, float, log1p(x))
UNARY(f_logb, float, float, logb(x))
UNARY(f_rint, float, float, rint(x))
UNARY(f_round, float, float, round(x))
UNARY(f_rsqrt, float, float, rsqrt(x))
UNARY(f_sin, float, float, sin(x))
UNARY(f_sinpi, float, float, sinpi(x))
UNARY(f_tan, float, float, tan(x))
UNARY(f_tanh, float, float, tanh(x))
UNARY(f_tanpi, float, float, tanpi(x))
UNARY(f_tgamma, float, float, tgamma(x))
UNARY(f_trunc, float, float, trunc(x))
UNARY(f_native, float, float, native_sin(x) + native_exp(x) * half_cos(x))
BINARY(f_atan2, float, float, atan2(x, y))
BINARY(f_atan2pi, float, float, atan2pi(x, y))
BINARY(f_copysign, float, float, copysign(x, y))
BINARY(f_fdim, float, float, fdim(x, y))
BINARY(f_fmin, float, float, fmin(x, y) + fmax(x, y))
BINARY(f_fmod, float, float, fmod(x, y))
BINARY(f_hypot, float, float, hypot(x, y))
BINARY(f_maxmag, float, float, maxmag(x, y))
BINARY(f_minmag, float, float, minmag(x, y))
BINARY(f_nextafter, float, float, nextafter(x, y))
BINARY(f_pow, float, float, pow(x, y))
BINARY(f_remainder, float, float, remainder(x, y))
BINARY(f_step, float, float, step(x, y) + sign(x))

kernel void f_fma(global float *out, global const float *a, global const float *b,
                  global const float *c) {
  size_t i = get_global_id(0);
  out[i] = fma(a[i], b[i], c[i]);
}
kernel void f_pown(global float *out, global const float *a, global const int *n) {
  size_t i = get_global_id(0);
  out[i] = pown(a[i], n[i]);
}
kernel void f_rootn(global float *out, global const float *a, global const int *n) {
  size_t i = get_global_id(0);
  out[i] = rootn(a[i], n[i]);
}
kernel void f_ldexp(global float *out, global const float *a, global const int *n) {
  size_t i = get_global_id(0);
  out[i] = ldexp(a[i], n[i]);
}
// Second results through pointers to private and to global memory.
kernel void f_parts(global float *fraction, global int *exponent, global float *whole,
                    global const float *a) {
  size_t i = get_global_id(0);
  int e;
  float w, m = frexp(a[i], &e);
  float rest = modf(a[i], &w);
  fraction[i] = m + rest;
  exponent[i] = e;
  whole[i] = w;
}
kernel void f_fract(global float *out, global float *floors, global const float *a) {
  size_t i = get_global_id(0);
  out[i] = fract(a[i], &floors[i]);
}
kernel void f_remquo(global float *out, global int *quotient, global const float *a,
                     global const float *b) {
  size_t i = get_global_id(0);
  int q;
  out[i] = remquo(a[i], b[i], &q);
  quotient[i] = q;
}
kernel void f_sincos(global float *sines, global float *cosines, global const float *a) {
  size_t i = get_global_id(0);
  float c;
  sines[i] = sincos(a[i], &c);
  cosines[i] = c;
}
kernel void f_lgamma_r(global float *out, global int *signs, global const float *a) {
  size_t i = get_global_id(0);
  int s;
  out[i] = lgamma_r(a[i], &s);
  signs[i] = s;
}
kernel void f_common(global float *out, global const float *a) {
  size_t i = get_global_id(0);
  float x = a[i];
  out[i] = clamp(x, -1.0f, 2.0f) + mix(x, 3.0f, 0.25f) + smoothstep(-2.0f, 2.0f, x) +
           degrees(x) + radians(x);
}
kernel void f_geometric(global float4 *out, global const float4 *a, global const float4 *b) {
  size_t i = get_global_id(0);
  float4 x = a[i], y = b[i];
  float3 c = cross(x.xyz, y.xyz);
  out[i] = (float4)(dot(x, y), length(x), distance(x, y), dot(c, c)) + normalize(x);
}
kernel void f_relational(global int *out, global const float *a, global const float *b) {
  size_t i = get_global_id(0);
  float x = a[i], y = b[i];
  out[i] = isnan(x) | isinf(x) << 1 | isfinite(x) << 2 | isnormal(x) << 3 | signbit(x) << 4 |
           isless(x, y) << 5 | isgreaterequal(x, y) << 6 | isunordered(x, y) << 7 |
           isordered(x, y) << 8 | isnotequal(x, y) << 9 | islessgreater(x, y) << 10;
}
// Doubles.
UNARY(d_exp, double, double, exp(x))
UNARY(d_sinpi, double, double, sinpi(x))
UNARY(d_sqrt, double, double, sqrt(x) + ceil(x))
BINARY(d_fmod, double, double, fmod(x, y))
BINARY(d_hypot, double, double, hypot(x, y))
BINARY(d_pow, double, double, pow(fabs(x), y))
BINARY(d_remainder, double, double, remainder(x, y))
kernel void d_rootn(global double *out, global const double *a, global const int *n) {
  size_t i = get_global_id(0);
  out[i] = rootn(a[i], n[i]);
}
