//! in float a = np.linspace(-3, 3, N)
//! in float b = np.linspace(1, 9, N)
//! let w, v = a.astype(np.float64), b.astype(np.float64)
//! out float r ~absolute:0.001 ~relative:0.001 = np.stack([np.sinh(w), np.cosh(w), np.tanh(w), np.arcsinh(w), np.arccosh(v), np.arctanh(w * 0.3)])
void main() {
  r[I] = sinh(a[I]);
  r[N + I] = cosh(a[I]);
  r[2 * N + I] = tanh(a[I]);
  r[3 * N + I] = asinh(a[I]);
  r[4 * N + I] = acosh(b[I]);
  r[5 * N + I] = atanh(a[I] * 0.3);
}
