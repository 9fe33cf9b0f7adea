//! in float a = np.linspace(-1, 1, N)
//! in float b = rand(np.float32, N)
//! let w, v = a.astype(np.float64), b.astype(np.float64)
//! out float r ~absolute:0.001 ~ulps:4096 = np.stack([np.arcsin(w), np.arccos(w), np.arctan(v), np.arctan2(v, w + 2), np.arctan2(w, v)])
void main() {
  r[I] = asin(a[I]);
  r[N + I] = acos(a[I]);
  r[2 * N + I] = atan(b[I]);
  r[3 * N + I] = atan(b[I], a[I] + 2);
  r[4 * N + I] = atan(a[I], b[I]);
}
