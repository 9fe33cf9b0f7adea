// The hints unroll, dont_unroll, flatten and dont_flatten do not change the values.
//! in int a = rand(np.int32, N, low=-50, high=50)
//! out int r = 10 * a + 45 + np.where(a > 0, a, 1) + 3 * np.where(a > 5, 2, 4)
void main() {
  int s = 0;
  [[unroll]] for (int i = 0; i < 5; i++)
    s += a[I] + i;
  [[dont_unroll]] for (int i = 5; i < 10; i++)
    s += a[I] + i;
  [[flatten]] if (a[I] > 0)
    s += a[I];
  else
    s += 1;
  [[loop, dependency_infinite]] for (int i = 0; i < 3; i++) {
    [[branch]] if (a[I] > 5)
      s += 2;
    else
      s += 4;
  }
  r[I] = s;
}
