// Loops that count down, by threes, to inequality, in 64 bits or floats, and whose bodies change
// the counter.
//! in uint a = rand(np.uint32, N, low=0, high=25)
//! let jump = lambda n: (lambda f: f(f, 0, 0))(lambda f, i, c: c if i >= n else f(f, i + (4 if i % 5 == 2 else 1), c + 1))
//! out uint r = np.stack([a, (a + 2) // 3, a, a, 2 * a, [jump(int(n)) for n in a]])
void main() {
  uint n = a[I], c = 0;
  for (uint i = n; i > 0; i--)
    c++;
  r[I] = c;
  c = 0;
  for (uint i = 0; i < n; i += 3)
    c++;
  r[N + I] = c;
  c = 0;
  for (uint i = 0; i != n; i++)
    c++;
  r[2 * N + I] = c;
  c = 0;
  for (uint64_t i = 10000000000ul; i < 10000000000ul + n; i++)
    c++;
  r[3 * N + I] = c;
  c = 0;
  for (float x = 0; x < n; x += 0.5)
    c++;
  r[4 * N + I] = c;
  c = 0;
  for (uint i = 0; i < n; i++) {
    c++;
    if (i % 5 == 2)
      i += 3;
  }
  r[5 * N + I] = c;
}
