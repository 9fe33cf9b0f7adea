// Large functions with loops and private arrays, called in divergent control flow.
//! in int a = rand(np.int32, N, low=0, high=15)
//! let f = lambda n: sum((i * 7 + n) % 16 for i in range(16) if (i + n) % 3) + n
//! out int r = [f(int(x)) if x & 1 else f(f(int(x)) % 16) for x in a]
int f(int n) {
  int list[16];
  for (int i = 0; i < 16; i++)
    list[i] = (i * 7 + n) % 16;
  int s = n;
  for (int i = 0; i < 16; i++)
    if ((i + n) % 3 != 0)
      s += list[i];
  return s;
}
void main() {
  if ((a[I] & 1) != 0)
    r[I] = f(a[I]);
  else
    r[I] = f(f(a[I]) % 16);
}
