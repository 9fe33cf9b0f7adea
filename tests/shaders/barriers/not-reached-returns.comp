// Invocations return, or leave a loop, on a path with a barrier that their workgroup does not
// reach. They take no part in what the other invocations do afterwards.
//! for F: 1 6 48
//! subgroup 4 16
//! size 64
//! groups 4
//! in int a = rand(np.int32, N)
//! in uint flags = [0, F, F, 0]
//! let l, f = np.arange(64), np.array([0, F, F, 0])[:, None]
//! let g = a.reshape(4, 64)
//! let odd = (l & f) != 0
//! inout int r = np.full(N, -1) -> np.where(f == 0, g[:, ::-1] + 4, np.where(odd, np.where(l % 3 == 0, g, -1), g + 1 + 3 * (l % 5)))
shared int kept[64];
void main() {
  uint l = gl_LocalInvocationID.x, flag = flags[gl_WorkGroupID.x];
  int x = a[I];
  if (gl_WorkGroupID.x < 9u) {
    if ((l & flag) != 0) {
      if (l % 3u == 0u)
        r[I] = x;
      return;
    } else {
      if (flag == 0) {
        kept[l] = x;
        barrier();
        x = kept[63u - l];
      } else {
        x++;
      }
    }
  }
  uint i = 0;
  while (true) {
    if (flag == 0) {
      barrier();
      if (i == 1u)
        break;
      x += 4;
    } else {
      if (i >= l % 5u)
        break;
      x += 3;
    }
    i++;
  }
  r[I] = x;
}
