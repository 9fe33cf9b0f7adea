// Arithmetic on values whose results are exact.
//! for T: float16_t float double
//! in T a = rand(np.int32, N, low=-40, high=40) * 0.5
//! in T b = np.array([1, 2, -4, 0.5, 8, -0.25])[I % 6]
//! out T r = np.stack([a + b, a - b, a * b, a / b, -a])
void main() {
  r[I] = a[I] + b[I];
  r[N + I] = a[I] - b[I];
  r[2 * N + I] = a[I] * b[I];
  r[3 * N + I] = a[I] / b[I];
  r[4 * N + I] = -a[I];
}
