// Lengths of f16 vectors whose squares exceed the range of f16.
//! only cpu
//! for V,D: f16vec2,2 f16vec3,3 f16vec4,4
//! in float16_t a = np.tile([300, -20000, 3e-4, 1e-5], N // 4)
//! let w = a.astype(np.float64)
//! out float16_t l ~ulps:1 = np.abs(w) * np.sqrt(D)
//! out float16_t d ~ulps:1 = np.abs(w) * 0.5 * np.sqrt(D)
//! out float16_t n ~ulps:1 = np.sign(w) / np.sqrt(D)
void main() {
  V v = V(a[I]);
  l[I] = length(v);
  d[I] = distance(v, v * float16_t(0.5));
  n[I] = normalize(v)[1];
}
