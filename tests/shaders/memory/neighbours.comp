// A loop loads at several distances. A condition excludes those out of bounds.
//! in int a = rand(np.int32, N, low=0, high=9)
//! out int r = [sum(int(a[j]) * (d + 4) for d in range(-3, 4) for j in [i + d] if 0 <= j < N) for i in range(N)]
void main() {
  int s = 0;
  for (int d = -3; d <= 3; d++) {
    int j = int(I) + d;
    if (j >= 0 && j < int(N))
      s += a[j] * (d + 4);
  }
  r[I] = s;
}
