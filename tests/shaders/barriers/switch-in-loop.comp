// A switch with barriers in a loop: each iteration takes another case.
//! for S: 16 64
//! size S
//! in int a = rand(np.int32, N, low=-99, high=99)
//! let g = a.reshape(2, S)
//! out int r = g[:, ::-1] + np.roll(g, -1, 1) + 2 * g
shared int kept[S];
void main() {
  uint l = gl_LocalInvocationID.x;
  int s = 0;
  for (int i = 0; i < 4; i++) {
    switch (i) {
    case 0:
      kept[l] = a[I];
      barrier();
      s += kept[S - 1 - l];
      break;
    case 1:
      barrier();
      s += kept[(l + 1) % S];
      barrier();
      continue;
    default:
      s += a[I];
    }
    barrier();
  }
  r[I] = s;
}
