//! in vec2 a = rand(np.int32, N, 2, low=-2000, high=2000) * 0.5
//! in uint u = (rand(np.uint32, N) & 0xbfffbfff)
//! out uint p = a.astype(np.float16).view(np.uint32)
//! out vec2 f = u.view(np.float16)
//! out uint again = u
void main() {
  p[I] = packHalf2x16(a[I]);
  f[I] = unpackHalf2x16(u[I]);
  again[I] = packHalf2x16(unpackHalf2x16(u[I]));
}
