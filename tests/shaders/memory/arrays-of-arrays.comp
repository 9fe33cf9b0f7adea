// Arrays of arrays in buffers and variables, indexed by constants, loop counters and lanes.
//! size 24
//! groups 1
//! in int a = np.arange(24) * 3
//! out int r = np.stack([a, np.roll(a, 1), a.reshape(2, 3, 4).transpose(2, 1, 0).ravel()])
layout(std430, set = 1, binding = 0) buffer B { int cube[2][3][4]; } b;
//! raw int cube @1.0 = np.zeros(24) -> np.arange(24) * 3 + 1
void main() {
  uint i = I / 12, j = I / 4 % 3, k = I % 4;
  b.cube[i][j][k] = a[I] + 1;
  int copy[2][3][4];
  for (int x = 0; x < 2; x++)
    for (int y = 0; y < 3; y++)
      for (int z = 0; z < 4; z++)
        copy[x][y][z] = a[(x * 3 + y) * 4 + z];
  r[I] = copy[i][j][k];
  uint p = (I + N - 1) % N;
  r[N + I] = copy[p / 12][p / 4 % 3][p % 4];
  uint q = I;
  r[2 * N + I] = copy[q % 2][q / 2 % 3][q / 6];
}
