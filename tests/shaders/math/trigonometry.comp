// Trigonometric functions are within Vulkan's error bounds on [-pi, pi].
//! let x = np.linspace(-np.pi, np.pi, N).astype(np.float32)
//! in float a = x
//! let w = a.astype(np.float64)
//! out float s ~absolute:2**-11 = np.sin(w)
//! out float c ~absolute:2**-11 = np.cos(w)
//! out float t ~relative:1e-3 ~absolute:1e-3 = np.tan(w * 0.4)
void main() {
  s[I] = sin(a[I]);
  c[I] = cos(a[I]);
  t[I] = tan(a[I] * 0.4);
}
