// Code after returns, branches that are never taken, and endless loops that end with a return.
//! in int a = rand(np.int32, N, low=1, high=9)
//! out int r = [next(i for i in range(1, 99) if i * int(x) > 40) for x in a]
int find(int x) {
  int i = 0;
  for (;;) {
    i++;
    if (i * x > 40)
      return i;
  }
  return -1;
}
void main() {
  if (false)
    r[I] = 5;
  r[I] = find(a[I]);
  return;
  r[I] = -9;
}
