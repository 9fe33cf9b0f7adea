// Conversions between float types. Those to narrower types use only values that the type can
// represent.
//! for A: float16_t float double
//! for B: float16_t float double
//! let x = np.array([0, -0.0, 1, -1.5, 2.0 ** -14, 2.0 ** -10, 65504, -65504, np.inf, -np.inf, np.nan, 0.25])
//! in A a = np.concatenate([x, rand(np.int32, N - 12, low=-1000, high=1000) * 0.125])
//! out B r = a
void main() { r[I] = B(a[I]); }
