// A private array of each invocation, indexed by its lane, lives across barriers.
//! size 40
//! in int a = rand(np.int32, N, low=0, high=99)
//! let g = a.reshape(2, 40)
//! out int r = np.where(g % 4 == 0, np.roll(g, -1, 1), g % 4) + np.roll(g, -1, 1)
shared int kept[40];
void main() {
  uint l = gl_LocalInvocationID.x;
  int list[4] = int[4](0, 1, 2, 3), at = a[I] % 4;
  kept[l] = a[I];
  barrier();
  list[0] = kept[(l + 1) % 40];
  barrier();
  kept[l] = list[at];
  barrier();
  r[I] = kept[l] + list[0];
}
