// Arithmetic keeps subnormal numbers of every type.
//! only cpu
//! for T,U: float,np.uint32 float16_t,np.uint16 double,np.uint64
//! in T a = np.concatenate([[1, 2, 3, 0x155, 0x200], np.arange(N - 5) * 7 + 1]).astype(U).view(T)
//! out T r = np.stack([a * T(0.5), a + a, a - T(0), -a, a * T(1.5)])
void main() {
  r[I] = a[I] * T(0.5);
  r[N + I] = a[I] + a[I];
  r[2 * N + I] = a[I] - T(0);
  r[3 * N + I] = -a[I];
  r[4 * N + I] = a[I] * T(1.5);
}
