// Normalised integers of 8 and 16 bits are clamped and rounded, and unpack to the same value.
//! in vec4 a = np.clip(rand(np.float32, N, 4) * 0.5, -1.5, 1.5)
//! in uint u = rand(np.uint32, N)
//! let q = np.round(np.clip(a, -1, 1).astype(np.float64) * 127).astype(np.int8)
//! let bytes_, shorts = u.view(np.uint8).reshape(-1, 4), u.view(np.uint16).reshape(-1, 2)
//! out uint s8 = q.copy().view(np.uint32)
//! out uint u8 = np.round(np.clip(a, 0, 1).astype(np.float64) * 255).astype(np.uint8).view(np.uint32)
//! out vec4 f8 ~ulps:2 = bytes_ / 255.0
//! out vec4 g8 ~ulps:2 = np.maximum(bytes_.view(np.int8) / 127.0, -1)
//! out vec2 f16 ~ulps:2 = shorts / 65535.0
//! out vec2 g16 ~ulps:2 = np.maximum(shorts.view(np.int16) / 32767.0, -1)
void main() {
  s8[I] = packSnorm4x8(a[I]);
  u8[I] = packUnorm4x8(a[I]);
  f8[I] = unpackUnorm4x8(u[I]);
  g8[I] = unpackSnorm4x8(u[I]);
  f16[I] = unpackUnorm2x16(u[I]);
  g16[I] = unpackSnorm2x16(u[I]);
}
