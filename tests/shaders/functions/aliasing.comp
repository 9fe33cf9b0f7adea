// A parameter is a copy: one variable passed twice, and swizzled and indexed arguments.
//! in int a = rand(np.int32, N, low=-99, high=99)
//! out int r = np.stack([a + 2, a * 2 + 1, a + 10, a])
void both(inout int p, inout int q) { p += 1; q = p + 1; }
void one(inout int p, int base) { p = base * 2 + 1; }
void main() {
  int x = a[I];
  both(x, x);
  ivec4 v = ivec4(a[I]);
  one(v.z, a[I]);
  int list[4] = int[4](0, 0, 0, 0);
  one(list[I % 4], 4);
  list[I % 4] += a[I] + 1;
  r[I] = x;
  r[N + I] = v.z;
  r[2 * N + I] = list[I % 4];
  r[3 * N + I] = v.x;
}
