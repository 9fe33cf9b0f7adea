// Workgroup memory of every type, with structs and arrays.
//! size 32
//! in int a = rand(np.int32, N, low=-100, high=100)
//! let o = np.roll(a.reshape(2, 32), -1, 1).ravel()
//! out int r = np.stack([o, o + 1, o > 0, o * 2])
//! out double d = o * 0.5
//! out float16_t h = o
//! out int64_t l = o.astype(np.int64) << 32
struct S { int8_t x; ivec3 v; bool flag; };
shared S s[32];
shared double ds[32];
shared float16_t hs[32];
shared int64_t ls[32];
shared mat2 ms[32];
void main() {
  uint i = gl_LocalInvocationID.x, j = (i + 1) % 32;
  int x = a[I];
  s[i] = S(int8_t(x), ivec3(0, x + 1, 0), x > 0);
  ds[i] = x * 0.5lf;
  hs[i] = float16_t(x);
  ls[i] = int64_t(x) << 32;
  ms[i] = mat2(0, x, x, x * 2);
  barrier();
  r[I] = int(s[j].x);
  r[N + I] = s[j].v.y;
  r[2 * N + I] = int(s[j].flag);
  r[3 * N + I] = int(ms[j][1][1]);
  d[I] = ds[j];
  h[I] = hs[j];
  l[I] = ls[j];
}
