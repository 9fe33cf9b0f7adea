// Functions of vectors work component-wise.
//! in vec4 a = rand(np.float32, N, 4)
//! let w = a.astype(np.float64)
//! out vec4 r ~ulps:16 ~absolute:5e-4 = np.stack([np.sin(w), np.exp(w), np.floor(w), np.abs(w), np.clip(w, -1, 1), np.maximum(w, w[:, ::-1]), np.sign(w)])
void main() {
  r[I] = sin(a[I]);
  r[N + I] = exp(a[I]);
  r[2 * N + I] = floor(a[I]);
  r[3 * N + I] = abs(a[I]);
  r[4 * N + I] = clamp(a[I], -1.0, 1.0);
  r[5 * N + I] = max(a[I], a[I].wzyx);
  r[6 * N + I] = sign(a[I]);
}
