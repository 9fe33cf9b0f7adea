// Loops that lanes leave after different iterations, some before the first.
//! in int a = rand(np.int32, N, low=0, high=40)
//! out int sum = a * (a - 1) // 2
//! out int rounds = np.where(a > 0, np.ceil(np.log2(np.maximum(a, 1))) + 0, 0)
//! out int down = [len(range(int(x), 0, -3)) for x in a]
void main() {
  int s = 0;
  for (int i = 0; i < a[I]; i++)
    s += i;
  sum[I] = s;
  int k = 0, n = 1;
  while (n < a[I]) {
    n *= 2;
    k++;
  }
  rounds[I] = k;
  int d = 0;
  for (int i = a[I]; i > 0; i -= 3)
    d++;
  down[I] = d;
}
