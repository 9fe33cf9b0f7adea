// A tree traversal with an explicit stack instead of recursion.
//! in int a = rand(np.int32, N, low=1, high=31)
//! let walk = lambda n: n + (walk(2 * n) + walk(2 * n + 1) if n < 16 else 0)
//! out int r = [walk(int(x)) for x in a]
void main() {
  int stack[32], top = 0, s = 0;
  stack[top++] = a[I];
  while (top > 0) {
    int n = stack[--top];
    s += n;
    if (n < 16) {
      stack[top++] = 2 * n;
      stack[top++] = 2 * n + 1;
    }
  }
  r[I] = s;
}
