// One invocation stores a single byte, then two. The adjacent bytes do not change.
//! subgroup 4 8 16
//! size 16
//! in uint a = rand(np.uint32, N)
//! let l = I % 16
//! let bytes = np.arange(N) % 251
//! inout uint8_t b = bytes -> np.where(l == 3, a.astype(np.uint8), bytes)
//! inout uint16_t c = bytes * 7 -> np.where(l == 3, (a * a).astype(np.uint16), bytes * 7)
void main() {
  uint v = a[I];
  if (gl_LocalInvocationID.x == 3u) {
    b[I] = uint8_t(v);
    c[I] = uint16_t(v * v);
  }
}
