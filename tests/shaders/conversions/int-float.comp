// Conversions from integer to float round to nearest, ties to even.
//! for A: int8_t uint8_t int16_t uint16_t int uint int64_t uint64_t
//! for B: float double
//! in A a = edges(A, N)
//! out B r = a
void main() { r[I] = B(a[I]); }
