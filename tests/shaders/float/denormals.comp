// Our device keeps denormals in every operation (others may flush): they are copied, halved,
// doubled and negated.
//! for T: double
//! in T a = np.array([5e-324, 2.2250738585072014e-308, -1e-310, 3e-308])[I % 4]
//! out T r = np.stack([a, a * 0.5, a + a, -a])
void main() {
  r[I] = a[I];
  r[N + I] = a[I] * 0.5;
  r[2 * N + I] = a[I] + a[I];
  r[3 * N + I] = -a[I];
}
