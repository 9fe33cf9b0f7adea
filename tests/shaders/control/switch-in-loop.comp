// A break leaves the switch, a continue starts the next iteration, and a return leaves both.
//! in int a = rand(np.int32, N, low=0, high=9)
//! let run = lambda a: [(s := 0), [(s := s + (1 if (i + a) % 4 == 0 else 10 if (i + a) % 4 == 1 else 100)) + (s := s + 1000) for i in range(6) if (i + a) % 4 != 3]] and s
//! out int r = [-7 if x == 9 else run(int(x)) for x in a]
int walk(int x) {
  int s = 0;
  for (int i = 0; i < 6; i++) {
    switch ((i + x) % 4) {
    case 0:
      if (x == 9)
        return -7;
      s += 1;
      break;
    case 1:
      s += 10;
      break;
    case 3:
      continue;
    default:
      s += 100;
    }
    s += 1000;
  }
  return s;
}
void main() { r[I] = walk(a[I]); }
