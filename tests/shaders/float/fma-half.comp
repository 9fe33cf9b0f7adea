// fma of f16 with one rounding, if requested: values of all sizes, ties, infinities and NaN.
//! only cpu
//! size 256
//! groups 128
//! in float16_t a = bits(rand(np.uint16, N))
//! in float16_t b = bits(np.where(I % 2, rand(np.uint16, N, seed=1), 0x3c00 + rand(np.uint16, N, seed=2) % 64).astype(np.uint16))
//! let w = a.astype(np.float64) * b.astype(np.float64)
//! in float16_t c = np.where(I % 3 == 0, bits(rand(np.uint16, N, seed=3)), -w * (1 + rand(np.float64, N, low=-1, high=1, seed=4) / 1024)).astype(np.float16)
//! out float16_t r = (w + c.astype(np.float64)).astype(np.float16)
void main() {
  float16_t x = a[I], y = b[I], z = c[I];
  r[I] = fma(x, y, z);
}
