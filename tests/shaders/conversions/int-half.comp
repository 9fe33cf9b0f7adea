// Conversions from integer to f16, of values that f16 represents exactly.
//! for A: int8_t uint8_t int16_t uint16_t int uint int64_t uint64_t
//! in A a = np.clip(edges(A, N), -2048 if np.iinfo(A).min else 0, min(np.iinfo(A).max, 2048))
//! out float16_t r = a
void main() { r[I] = float16_t(a[I]); }
