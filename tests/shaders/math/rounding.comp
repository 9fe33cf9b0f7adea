// roundEven of ties; trunc, floor and ceil of both signs and beyond 2^31.
//! for T: float double float16_t
//! in T a = np.concatenate([[0, -0.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 0.499, -0.499, 3e4, -3e4, np.inf, -np.inf, 1023.5, -0.001], rand(T, N - 16, low=-99, high=99)])
//! out T r = np.stack([np.floor(a), np.ceil(a), np.trunc(a), np.round(a)])
void main() {
  r[I] = floor(a[I] * T(1)); // the multiplication makes glslang declare Float16
  r[N + I] = ceil(a[I]);
  r[2 * N + I] = trunc(a[I]);
  r[3 * N + I] = roundEven(a[I]);
}
