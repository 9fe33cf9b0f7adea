// The bits of a value, reinterpreted as another type.
//! in float f = edges(np.float32, N)
//! out int i = f.view(np.int32)
//! out uint u = f.view(np.uint32)
//! out float back = -f
//! in double d = edges(np.float64, N)
//! out uint64_t w = d.view(np.uint64)
//! out uvec2 halves = d.view(np.uint32)
//! in float16_t h = edges(np.float16, N)
//! out int16_t s = h.view(np.int16)
void main() {
  i[I] = floatBitsToInt(f[I]);
  u[I] = floatBitsToUint(f[I]);
  back[I] = uintBitsToFloat(u[I] ^ 0x80000000u);
  w[I] = doubleBitsToUint64(d[I]);
  halves[I] = unpackDouble2x32(d[I]);
  s[I] = float16BitsToInt16(h[I]);
}
