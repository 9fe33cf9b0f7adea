// Arithmetic of vectors of every width.
//! for V: i8vec4 u16vec4 ivec4 uvec4 i64vec4 u8vec2
//! let D = int(V[-1])
//! in V a = rand(np.int32, N, int(V[-1]), low=0, high=120)
//! in V b = rand(np.int32, N, int(V[-1]), low=1, high=9)
//! out V r = np.stack([a + b, a - b, a * b, a // b, a << 1, (a & b) | (a ^ b)])
void main() {
  r[I] = a[I] + b[I];
  r[N + I] = a[I] - b[I];
  r[2 * N + I] = a[I] * b[I];
  r[3 * N + I] = a[I] / b[I];
  r[4 * N + I] = a[I] << 1;
  r[5 * N + I] = (a[I] & b[I]) | (a[I] ^ b[I]);
}
