// Two loops around a barrier, with continue and break, all uniform.
//! size 48
//! in int a = rand(np.int32, N, low=0, high=9)
//! let table = lambda row: [np.roll(row, -(i * 4 + j)) for i in range(4) for j in range(4) if j < 3 and not (i == 1 and j == 1)]
//! out int r = [np.sum(table(row), 0) for row in a.reshape(2, 48)]
shared int kept[48];
void main() {
  uint l = gl_LocalInvocationID.x;
  int x = 0;
  for (uint i = 0; i < 4; i++) {
    for (uint j = 0; j < 4; j++) {
      if (i == 1 && j == 1)
        continue;
      if (j == 3)
        break;
      kept[l] = a[I];
      barrier();
      x += kept[(l + i * 4 + j) % 48];
      barrier();
    }
  }
  r[I] = x;
}
