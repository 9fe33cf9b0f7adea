// A break and a continue in each nested loop, by conditions that differ from lane to lane.
//! in int a = rand(np.int32, N, low=0, high=20)
//! let run = lambda a: [(s := 0), [[s := s + i * 10 + j for j in range(6) if (i + j) % 3 != a % 3 and j <= a % 5] for i in range(8) if i != a % 7 and i <= a // 2]] and s
//! out int r = [run(int(x)) for x in a]
void main() {
  int s = 0, x = a[I];
  for (int i = 0; i < 8; i++) {
    if (i == x % 7)
      continue;
    if (i > x / 2)
      break;
    for (int j = 0; j < 6; j++) {
      if ((i + j) % 3 == x % 3)
        continue;
      if (j > x % 5)
        break;
      s += i * 10 + j;
    }
  }
  r[I] = s;
}
