// in, out and inout parameters, of scalars, vectors, arrays and structs.
//! in int a = rand(np.int32, N, low=-99, high=99)
//! out int r = np.stack([a + 1, a * 2, a * 3 + 2, a + 4, a - 5])
struct S { int x; int y[2]; };
void f(in int p, out int q, inout int s) { q = p * 2; s = s * 3 + 2; p = 77; }
void g(inout S s, inout int list[3]) { s.y[1] += 4; list[2] -= 5; }
int h(const int p) { return p + 1; }
void main() {
  int x = a[I], q, s = x;
  f(x, q, s);
  S t = S(1, int[2](2, x));
  int list[3] = int[3](1, 2, x);
  g(t, list);
  r[I] = h(x);
  r[N + I] = q;
  r[2 * N + I] = s;
  r[3 * N + I] = t.y[1];
  r[4 * N + I] = list[2];
}
