// The functions that GLSL has for f64.
//! in double a = rand(np.float64, N)
//! in double b = rand(np.float64, N, seed=1)
//! out double r ~ulps:4 = np.stack([np.sqrt(np.abs(a)), np.floor(a), a - np.floor(a), np.abs(a), np.sign(a), np.minimum(a, b), np.maximum(a, b), np.clip(a, -1, 1), a * b + 1, a * 0.5 + b * 0.5])
void main() {
  r[I] = sqrt(abs(a[I]));
  r[N + I] = floor(a[I]);
  r[2 * N + I] = fract(a[I]);
  r[3 * N + I] = abs(a[I]);
  r[4 * N + I] = sign(a[I]);
  r[5 * N + I] = min(a[I], b[I]);
  r[6 * N + I] = max(a[I], b[I]);
  r[7 * N + I] = clamp(a[I], -1.0lf, 1.0lf);
  r[8 * N + I] = fma(a[I], b[I], 1.0lf);
  r[9 * N + I] = mix(a[I], b[I], 0.5lf);
}
