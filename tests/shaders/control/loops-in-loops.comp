// Four nested loops, with a break and a continue in each, and values that leave all of them.
//! in int a = rand(np.int32, N, low=0, high=6)
//! let f = lambda x: (c := [0, 0]) and [[[[(c.__setitem__(0, c[0] + 1), c.__setitem__(1, c[1] ^ (i * 27 + j * 9 + k * 3 + l))) for l in range(3) if l != (k + x) % 3] for k in range(3) if k <= x % 4] for j in range(3) if j != x % 5] for i in range(3) if i < 1 + x % 3] and c
//! out int count = [f(int(x))[0] for x in a]
//! out int mixed = [f(int(x))[1] for x in a]
void main() {
  int x = a[I], c = 0, m = 0;
  for (int i = 0; i < 3; i++) {
    if (i >= 1 + x % 3)
      break;
    for (int j = 0; j < 3; j++) {
      if (j == x % 5)
        continue;
      int k = 0;
      while (true) {
        if (k == 3 || k > x % 4)
          break;
        int l = -1;
        do {
          l++;
          if (l == (k + x) % 3)
            continue;
          c++;
          m ^= i * 27 + j * 9 + k * 3 + l;
        } while (l < 2);
        k++;
      }
    }
  }
  count[I] = c;
  mixed[I] = m;
}
