// Functions take and return arrays of structs, which loops change.
//! in int a = rand(np.int32, N, low=-9, high=9)
//! out int r = a * 6 + 12
struct P { int x, y; };
void fill(out P list[4], int x) { for (int i = 0; i < 4; i++) list[i] = P(x * i, i); }
int sum(in P list[4]) { int s = 0; for (int i = 0; i < 4; i++) s += list[i].x + 2 * list[i].y; list[0].x = 99; return s; }
void main() {
  P list[4];
  fill(list, a[I]);
  r[I] = sum(list);
}
