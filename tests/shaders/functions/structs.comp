// Structs and arrays as parameters and results.
//! in int a = rand(np.int32, N, low=-9, high=9)
//! out int r = np.stack([a + 3, a * 2, a - 1, a * a])
struct Inner { ivec2 v; };
struct Outer { Inner list[2]; int x; };
Outer make(int x) { return Outer(Inner[2](Inner(ivec2(x + 3, x * 2)), Inner(ivec2(x - 1))), x * x); }
int[2] parts(Outer o) { return int[2](o.list[0].v.y, o.list[1].v.x); }
void main() {
  Outer o = make(a[I]), p = o;
  p.list[0].v.x = 1234;
  int two[2] = parts(o);
  r[I] = o.list[0].v.x;
  r[N + I] = two[0];
  r[2 * N + I] = two[1];
  r[3 * N + I] = p.x;
}
