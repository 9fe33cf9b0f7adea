// Uniform loops in varying conditions, and varying loops in uniform ones.
//! in int a = rand(np.int32, N, low=0, high=9)
//! raw int u @1.0 = [4, 1]
//! out int r = np.where(a % 2 == 0, 4 * a + 6, a * (a + 1) // 2)
layout(set = 1, binding = 0) readonly buffer U { int u[]; };
void main() {
  int s = 0;
  if (a[I] % 2 == 0) {
    for (int i = 0; i < u[0]; i++)
      s += a[I] + i;
  } else if (u[1] == 1) {
    for (int i = 0; i <= a[I]; i++)
      s += i;
  } else {
    s = -1;
  }
  r[I] = s;
}
