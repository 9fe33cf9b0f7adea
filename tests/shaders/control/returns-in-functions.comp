// Functions with returns in loops and branches, called after lanes have diverged.
//! in int a = rand(np.int32, N, low=-20, high=20)
//! let f = lambda n: -n if n < 0 else next((i for i in range(1, 6) if i * i >= n), 99)
//! out int r = [f(int(x)) + f(f(int(x)) - 3) if x % 2 == 0 else 1000 + f(-int(x)) for x in a]
int f(int n) {
  if (n < 0)
    return -n;
  for (int i = 1; i < 6; i++)
    if (i * i >= n)
      return i;
  return 99;
}
void main() {
  if (a[I] % 2 == 0)
    r[I] = f(a[I]) + f(f(a[I]) - 3);
  else
    r[I] = 1000 + f(-a[I]);
}
