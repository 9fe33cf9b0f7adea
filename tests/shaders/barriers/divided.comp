// Conditions that are uniform in a workgroup, which the compiler cannot prove. All paths have
// barriers.
//! subgroup 4 16
//! size 64
//! groups 3
//! in int a = rand(np.int32, N)
//! in uint kinds = np.repeat([0, 1, 2], 64)
//! let g = a.reshape(3, 64)
//! out int r = np.stack([g[0][::-1], np.roll(g[1], -1), np.roll(g[2], -2) + np.roll(g[2], -2)[::-1]])
shared int kept[64];
void main() {
  uint l = gl_LocalInvocationID.x, kind = kinds[I];
  int x = a[I];
  kept[l] = x;
  if (kind == 0u) {
    barrier();
    x = kept[63u - l];
  } else {
    barrier();
    x = kept[(l + kind) % 64u];
    switch (kind) {
    case 2:
      barrier();
      kept[l] = x;
      barrier();
      x += kept[63u - l];
      break;
    default:
      break;
    }
  }
  r[I] = x;
}
