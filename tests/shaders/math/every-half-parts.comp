// The parts of every finite f16, and the results for infinities and NaN.
//! only cpu
//! size 256
//! groups 256
//! in float16_t a = bits(I.astype(np.uint16))
//! let finite = np.isfinite(a)
//! let x = np.where(finite, a, 0).astype(np.float16)
//! let m, e = np.frexp(x.astype(np.float32))
//! out float16_t significand = m
//! out int exponent = e
//! out float16_t whole = np.trunc(a)
//! out float16_t part = np.where(np.isinf(a), 0, x - np.trunc(x)) + np.where(np.isnan(a), a, 0)
//! out uint signs = np.where(np.isnan(a), 0, np.signbit(a) * 3)
void main() {
  float16_t v = a[I], w;
  bool finite = !isnan(v) && !isinf(v);
  int k;
  significand[I] = frexp(finite ? v : float16_t(0), k);
  exponent[I] = k;
  float16_t f = modf(v, w);
  whole[I] = w;
  part[I] = f;
  signs[I] = isnan(v) ? 0 : (uint(float16BitsToUint16(w)) >> 15) | (uint(float16BitsToUint16(f)) >> 15) << 1;
}
