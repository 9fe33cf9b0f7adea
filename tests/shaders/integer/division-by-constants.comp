// Divisions by constants, powers of two and others. Some dividends increase with the lane.
//! for T: int uint int16_t uint8_t int64_t
//! in T a = edges(T, N)
//! let k = I.astype(T)
//! out T r = np.stack([div(a, 0 * a + d) for d in (1, 2, 3, 7, 16, 100)] + [k // 8, k % 8, k // 5, k % 5])
void main() {
  T k = T(I);
  r[I] = a[I] / T(1);
  r[N + I] = a[I] / T(2);
  r[2 * N + I] = a[I] / T(3);
  r[3 * N + I] = a[I] / T(7);
  r[4 * N + I] = a[I] / T(16);
  r[5 * N + I] = a[I] / T(100);
  r[6 * N + I] = k / T(8);
  r[7 * N + I] = k % T(8);
  r[8 * N + I] = k / T(5);
  r[9 * N + I] = k % T(5);
}
