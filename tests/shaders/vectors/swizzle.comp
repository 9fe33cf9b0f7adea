// Swizzles that are read and written, with repetition and in part.
//! for V,T: vec4,float ivec4,int u8vec4,uint8_t f16vec4,float16_t i64vec4,int64_t dvec4,double
//! in V a = rand(np.int32, N, 4, low=0, high=99)
//! let x, y, z, w = a.T
//! out V r = np.stack([np.stack([w, z, y, x], 1), np.stack([x, x, y, y], 1), np.stack([z, x, w, y], 1), np.stack([x + y, y, x, w], 1)])
void main() {
  V v = a[I];
  r[I] = v.wzyx;
  r[N + I] = v.xxyy;
  r[2 * N + I] = v.zxwy;
  v.zx = v.xy;
  v.x += a[I].x;
  r[3 * N + I] = v;
}
