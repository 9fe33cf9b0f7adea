// Unpacks every f16 value and packs it again without a change.
//! only cpu
//! size 256
//! groups 256
//! in uint u = I | (65535 - I) << 16
//! let h = u.astype(np.uint32).view(np.float16).reshape(-1, 2)
//! out vec2 f = h.astype(np.float32)
//! out uint again = np.where(np.isnan(h).any(1), 0, u)
void main() {
  f[I] = unpackHalf2x16(u[I]);
  bool nan = any(isnan(f[I]));
  again[I] = nan ? 0u : packHalf2x16(f[I]);
}
