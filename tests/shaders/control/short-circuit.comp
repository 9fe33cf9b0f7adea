// The right operand is not evaluated if the left one decides.
//! in int a = rand(np.int32, N, low=0, high=3)
//! out int count = np.where(a != 0, 1, 0) + np.where(a == 3, 0, 1)
//! out uint truth = (a > 1) + 2 * (a >= 2)
int calls = 0;
bool seen(int x) {
  calls++;
  return x > 1;
}
void main() {
  bool p = a[I] != 0 && seen(a[I]);
  bool q = a[I] == 3 || seen(a[I]);
  count[I] = calls;
  truth[I] = uint(p) + 2 * uint(q);
}
