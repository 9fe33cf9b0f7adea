// Private variables of the module, with initial values, changed by functions.
//! in int a = rand(np.int32, N, low=-99, high=99)
//! out int r = a * 2 + 5 + 3
//! out int kept = 10 + a
int total = 5;
int list[3] = int[3](10, 20, 30);
void add(int x) { total += x; list[0] += x; }
void main() {
  add(a[I]);
  kept[I] = list[0];
  total += a[I];
  r[I] = total + 3;
}
