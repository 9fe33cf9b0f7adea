// Floats beyond the range of a 32-bit integer are integers already.
//! in float a = np.concatenate([[2.0 ** 31, -2.0 ** 31, 2.0 ** 40, 8388609, -8388609, 3e38, -3e38, 2.0 ** 23 - 0.5], rand(np.float32, N - 8, low=-1e10, high=1e10)])
//! out float r = np.stack([np.floor(a), np.ceil(a), np.trunc(a), np.round(a)])
void main() {
  r[I] = floor(a[I]);
  r[N + I] = ceil(a[I]);
  r[2 * N + I] = trunc(a[I]);
  r[3 * N + I] = roundEven(a[I]);
}
