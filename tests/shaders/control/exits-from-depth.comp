// Returns leave three nested loops at once, each with another value.
//! in int a = rand(np.int32, N, low=0, high=40)
//! let f = lambda x: next((i * 100 + j * 10 + k for i in range(4) for j in range(4) for k in range(4) if i * 16 + j * 4 + k == x), -1)
//! out int r = [f(int(x)) for x in a]
//! out int rounds = [min(int(x), 63) + 1 for x in a]
int count;
int find(int x) {
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      for (int k = 0; k < 4; k++) {
        count++;
        if (i * 16 + j * 4 + k == x)
          return i * 100 + j * 10 + k;
      }
  return -1;
}
void main() {
  count = 0;
  r[I] = find(a[I]);
  rounds[I] = count;
}
