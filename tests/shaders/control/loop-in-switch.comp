// Loops with their own breaks in the cases of a switch, and a nested switch.
//! in int a = I
//! let f = lambda x: {0: sum(range(x % 5)), 1: 3 * (x // 3 % 4) + 100, 2: {0: 5, 1: 6}.get(x % 2, 0) + 50}[x % 3]
//! out int r = [f(int(x)) for x in a]
void main() {
  int x = a[I], s = 0;
  switch (x % 3) {
  case 0:
    for (int i = 0;; i++) {
      if (i >= x % 5)
        break;
      s += i;
    }
    break;
  case 1:
    for (int i = 0; i < x / 3 % 4; i++)
      s += 3;
    s += 100;
    break;
  case 2:
    switch (x % 2) {
    case 0: s = 5; break;
    case 1: s = 6; break;
    }
    s += 50;
  }
  r[I] = s;
}
