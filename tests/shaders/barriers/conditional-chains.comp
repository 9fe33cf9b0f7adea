// Barriers in if, else if and else. The condition is uniform in the workgroup, and a loop changes
// it.
//! for S: 8 48
//! size S
//! in int a = rand(np.int32, N, low=-99, high=99)
//! let g = a.reshape(2, S)
//! out int r = g[:, ::-1] + np.roll(g, -1, 1) + 3 * g
shared int kept[S];
void main() {
  uint l = gl_LocalInvocationID.x;
  int s = 0;
  kept[l] = a[I];
  for (int i = 0; i < 5; i++) {
    if (i == 0) {
      barrier();
      s += kept[S - 1 - l];
    } else if (i == 2) {
      barrier();
      s += kept[(l + 1) % S];
      barrier();
    } else {
      s += a[I];
    }
  }
  r[I] = s;
}
