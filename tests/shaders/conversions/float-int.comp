// Conversions from float to integer truncate, for values in the range of the integer.
//! for A: float16_t float double
//! for B: int8_t uint8_t int16_t uint16_t int uint int64_t uint64_t
//! let low, high = max(np.iinfo(B).min, -30000), min(np.iinfo(B).max, 30000)
//! let x = np.concatenate([[0, -0.0, 0.5, 0.999, 1.5, low, high, high - 0.5], rand(np.float64, N - 8, low=low, high=high)])
//! in A a = np.clip(x, low, high)
//! out B r = np.trunc(a.astype(np.float64))
void main() { r[I] = B(a[I]); }
