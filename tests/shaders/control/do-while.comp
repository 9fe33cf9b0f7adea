// The body runs once even if the condition never holds. A continue jumps to the condition.
//! in int a = rand(np.int32, N, low=-5, high=30)
//! let steps = [max(1, int(x)) for x in a]
//! out int r = steps
//! out int odd = [sum(i for i in range(1, n + 1) if i % 2) for n in steps]
void main() {
  int n = 0, s = 0;
  do {
    n++;
    if (n % 2 == 0)
      continue;
    s += n;
  } while (n < a[I]);
  r[I] = n;
  odd[I] = s;
}
