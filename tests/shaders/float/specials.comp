// Arithmetic on infinities and NaN follows IEEE 754.
//! for T: float double float16_t
//! in T a = np.array([np.inf, -np.inf, np.nan, 1, 0, -0.0, np.inf, 0])[I % 8]
//! in T b = np.array([1, np.inf, 1, np.nan, np.inf, 2, np.inf, 0])[I % 8]
//! out T r = np.stack([a + b, a * b, a - b, a / np.where(b == 0, 1, b)])
//! out uint tests = np.isnan(a) + 2 * np.isinf(a) + 4 * np.isnan(b) + 8 * np.isinf(b)
void main() {
  r[I] = a[I] + b[I];
  r[N + I] = a[I] * b[I];
  r[2 * N + I] = a[I] - b[I];
  r[3 * N + I] = a[I] / (b[I] == T(0) ? T(1) : b[I]);
  tests[I] = uint(isnan(a[I])) + 2 * uint(isinf(a[I])) + 4 * uint(isnan(b[I])) + 8 * uint(isinf(b[I]));
}
