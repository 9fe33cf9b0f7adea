// A lane keeps the values that it had when it left a loop, while others continue.
//! in int a = rand(np.int32, N, low=1, high=30)
//! let collatz = lambda n: [0, n, n]
//! let walk = lambda n: (lambda f: f(f, n, 0, n))(lambda f, n, k, top: (k, top) if n == 1 else f(f, n // 2 if n % 2 == 0 else 3 * n + 1, k + 1, max(top, n)))
//! out int steps = [walk(int(x))[0] for x in a]
//! out int tops = [walk(int(x))[1] for x in a]
void main() {
  int n = a[I], k = 0, top = n;
  while (n != 1) {
    top = max(top, n);
    n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    k++;
  }
  steps[I] = k;
  tops[I] = top;
}
