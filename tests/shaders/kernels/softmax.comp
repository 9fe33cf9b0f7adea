// Softmax with a row per workgroup: maximum, exponentials, sum, quotient.
//! size 64
//! in float a = rand(np.float32, N)
//! let g = a.astype(np.float64).reshape(2, 64)
//! let e = np.exp(g - g.max(1, keepdims=True))
//! out float r ~relative:1e-5 ~absolute:1e-7 = e / e.sum(1, keepdims=True)
shared float kept[64];
float reduceAll(float x, bool largest) {
  uint l = gl_LocalInvocationID.x;
  barrier();
  kept[l] = x;
  for (uint d = 32; d > 0; d /= 2) {
    barrier();
    if (l < d)
      kept[l] = largest ? max(kept[l], kept[l + d]) : kept[l] + kept[l + d];
  }
  barrier();
  return kept[0];
}
void main() {
  float x = exp(a[I] - reduceAll(a[I], true));
  r[I] = x / reduceAll(x, false);
}
