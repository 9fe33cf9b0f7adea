//! for T: int8_t uint8_t int16_t uint16_t int uint int64_t uint64_t
//! let x, y = pairs(T, N)
//! in T a = x
//! in T b = y
//! in T c = edges(T, N, seed=9)
//! out T r = np.stack([np.minimum(a, b), np.maximum(a, b),
//!     np.minimum(np.maximum(a, np.minimum(b, c)), np.maximum(b, c))])
// The addition makes glslang declare the type's capability.
void main() {
  r[I] = min(a[I] + T(0), b[I]);
  r[N + I] = max(a[I], b[I]);
  r[2 * N + I] = clamp(a[I], min(b[I], c[I]), max(b[I], c[I]));
}
