// Returns from main at several nesting depths.
//! in int a = rand(np.int32, N, low=0, high=9)
//! inout int r = np.full(N, -1) -> [-1 if x == 0 else 100 + x if x < 3 else 203 if x in (3, 4) else 300 if x < 8 else 10 for x in a]
void main() {
  int x = a[I];
  if (x == 0)
    return;
  for (int i = 0; i < 5; i++) {
    if (x < 3) {
      r[I] = 100 + x;
      return;
    }
    while (i < 4) {
      if (i == 3 && x <= 4) {
        r[I] = 200 + i;
        return;
      }
      i++;
    }
    if (x < 8)
      break;
    r[I] = 10;
    return;
  }
  r[I] = 300;
}
