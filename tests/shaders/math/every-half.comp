// Unary functions of f16 with exact results, for every value, and the signs of zeros.
//! only cpu
//! for F: fract floor ceil trunc roundEven sign sqrt
//! size 256
//! groups 256
//! let exact = {"fract": lambda x: x - np.floor(x), "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc,
//!              "roundEven": np.rint, "sign": lambda x: np.where(np.isnan(x), 0, np.where(x == 0, x, np.sign(x))),
//!              "sqrt": np.sqrt}
//! in float16_t a = bits(I.astype(np.uint16))
//! let e = exact[F](a).astype(np.float16)
//! let zero = e == 0
//! out float16_t r = e
//! out uint negative = np.where(zero, np.signbit(e), 2)
void main() {
  float16_t x = F(a[I]);
  r[I] = x;
  negative[I] = x == float16_t(0) ? uint(float16BitsToUint16(x)) >> 15 : 2u;
}
