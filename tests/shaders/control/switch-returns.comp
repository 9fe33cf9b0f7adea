// Cases that return, cases that fall through into returns, and loops around them.
//! in int a = rand(np.int32, N, low=0, high=9)
//! let f = lambda x: {0: 100, 1: 211, 2: 11}.get(x, 3 if x < 6 else 99)
//! out int r = [f(int(x)) for x in a]
int f(int x) {
  int s = 0;
  while (true) {
    switch (x) {
    case 0: return 100;
    case 1: s += 200;
    case 2: s += 1;
    case 10: return s + 10;
    default:
      if (x >= 6)
        return 99;
      s++;
    }
    if (s == 3)
      return s;
  }
}
void main() { r[I] = f(a[I]); }
