// Cases fall through out of nested conditions into a default in the middle.
//! in int a = rand(np.int32, N, low=0, high=7)
//! let f = lambda x: (1 + 10 + (100 if x % 3 else 0) if x == 0 else (10 + 100 * bool(x % 3)) if x in (1,) else 5 if x == 4 else 0)
//! let g = lambda x: f(x) if x in (0, 1, 4) else 100 * bool(x % 3) if x not in (2, 3) else 1000 + x
//! out int r = [g(int(x)) for x in a]
void main() {
  int x = a[I], s = 0;
  switch (x) {
  case 0:
    s += 1;
  case 1:
    if (x < 5) {
      if (x < 3)
        s += 10;
    }
  default:
    if (x % 3 != 0) {
      s += 100;
      break;
    }
    break;
  case 2:
  case 3:
    s = 1000;
    s += x;
    break;
  case 4:
    s = 5;
  }
  r[I] = s;
}
