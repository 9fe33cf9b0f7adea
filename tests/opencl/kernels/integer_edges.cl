// Integer functions of OpenCL C 6.15.3 on all pairs of bytes, and all 16-bit numbers.
#define PAIRS(PREFIX, T, U)                                                                        \
  kernel void PREFIX##_pairs(global T *out, global U *apart, global const T *a,                    \
                             global const T *b) {                                                  \
    size_t i = get_global_id(0), n = get_global_size(0);                                           \
    T x = a[i], y = b[i];                                                                          \
    out[i] = add_sat(x, y);                                                                        \
    out[n + i] = sub_sat(x, y);                                                                    \
    out[2 * n + i] = hadd(x, y);                                                                   \
    out[3 * n + i] = rhadd(x, y);                                                                  \
    out[4 * n + i] = mul_hi(x, y);                                                                 \
    out[5 * n + i] = rotate(x, y);                                                                 \
    out[6 * n + i] = max(x, y);                                                                    \
    out[7 * n + i] = min(x, y);                                                                    \
    out[8 * n + i] = mad_sat(x, y, (T)(x ^ (y << 1)));                                             \
    out[9 * n + i] = mad_hi(x, y, (T)(x ^ (y << 1)));                                              \
    out[10 * n + i] = bitselect(x, y, (T)(x + y));                                                 \
    apart[i] = abs_diff(x, y);                                                                     \
  }
#define EACH(PREFIX, T, U)                                                                         \
  kernel void PREFIX##_each(global T *out, global U *magnitudes, global const T *a) {              \
    size_t i = get_global_id(0), n = get_global_size(0);                                           \
    out[i] = clz(a[i]);                                                                            \
    out[n + i] = ctz(a[i]);                                                                        \
    out[2 * n + i] = popcount(a[i]);                                                               \
    magnitudes[i] = abs(a[i]);                                                                     \
  }

PAIRS(c, char, uchar)
PAIRS(uc, uchar, uchar)
EACH(s, short, ushort)
EACH(us, ushort, ushort)
EACH(c, char, uchar)

kernel void upsampled(global short *out, global const char *a, global const uchar *b) {
  size_t i = get_global_id(0);
  out[i] = upsample(a[i], b[i]);
}
