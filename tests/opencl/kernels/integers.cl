// Integer functions (OpenCL C 6.15.3), with one element per invocation.
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
#define TERNARY(NAME, T, A, EXPR)                                                                  \
  kernel void NAME(global T *out, global const A *a, global const A *b, global const A *c) {       \
    size_t i = get_global_id(0);                                                                   \
    A x = a[i], y = b[i], z = c[i];                                                                \
    out[i] = EXPR;                                                                                 \
  }

BINARY(add_sat_char, char, char, add_sat(x, y))
BINARY(add_sat_uint, uint, uint, add_sat(x, y))
BINARY(sub_sat_int, int, int, sub_sat(x, y))
BINARY(sub_sat_ulong, ulong, ulong, sub_sat(x, y))
BINARY(hadd_int, int, int, hadd(x, y))
BINARY(rhadd_uint, uint, uint, rhadd(x, y))
BINARY(mul_hi_int, int, int, mul_hi(x, y))
BINARY(mul_hi_ulong, ulong, ulong, mul_hi(x, y))
BINARY(abs_diff_int, uint, int, abs_diff(x, y))
BINARY(rotate_uint, uint, uint, rotate(x, y))
BINARY(rotate_uchar, uchar, uchar, rotate(x, y))
BINARY(upsample_short, int, short, upsample(x, as_ushort(y)))
BINARY(divide_int, int, int, x / y)
BINARY(modulo_long, long, long, x % y)
BINARY(shift_int, int, int, (x << (y & 31)) ^ (x >> (y & 31)))
TERNARY(mad_hi_int, int, int, mad_hi(x, y, z))
TERNARY(mad_sat_short, short, short, mad_sat(x, y, z))
TERNARY(mad_sat_long, long, long, mad_sat(x, y, z))
TERNARY(mad_sat_ulong, ulong, ulong, mad_sat(x, y, z))
TERNARY(clamp_short, short, short, clamp(x, min(y, z), max(y, z)))
TERNARY(bitselect_uint, uint, uint, bitselect(x, y, z))
UNARY(abs_int, uint, int, abs(x))
UNARY(clz_uint, uint, uint, clz(x))
UNARY(clz_char, uchar, uchar, clz(x))
UNARY(ctz_uint, uint, uint, ctz(x))
UNARY(popcount_ulong, ulong, ulong, popcount(x))

// 24-bit operands.
kernel void mad24_int(global int *out, global const int *a, global const int *b) {
  size_t i = get_global_id(0);
  int x = a[i] >> 8, y = b[i] >> 20;
  out[i] = mad24(x, y, 77) + mul24(x, y);
}

// Vectors through the same functions.
kernel void integer_vectors(global int4 *out, global const int4 *a, global const int4 *b) {
  size_t i = get_global_id(0);
  out[i] = add_sat(a[i], b[i]) ^ rotate(a[i], (int4)(1, 2, 3, 4)) ^ max(a[i], b[i]).wzyx;
}
