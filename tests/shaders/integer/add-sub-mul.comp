// Sums, differences and products wrap.
//! for T: int8_t uint8_t int16_t uint16_t int uint int64_t uint64_t
//! let x, y = pairs(T, N)
//! in T a = x
//! in T b = y
//! out T r = np.stack([a + b, a - b, a * b, 0 - a, a * 3 + b])
void main() {
  r[I] = a[I] + b[I];
  r[N + I] = a[I] - b[I];
  r[2 * N + I] = a[I] * b[I];
  r[3 * N + I] = -a[I];
  r[4 * N + I] = a[I] * T(3) + b[I];
}
