//! for T: float double
//! in T a = rand(np.int32, N, low=-999, high=999) * 0.125
//! in T b = np.array([1, 2, 0.5, 4])[I % 4]
//! out T r = np.stack([a - np.floor(a), a - b * np.floor(a / b)])
void main() {
  r[I] = fract(a[I]);
  r[N + I] = mod(a[I], b[I]);
}
