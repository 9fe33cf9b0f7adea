// Nested conditions that are uniform in a workgroup: one is computed, the other is loaded.
//! size 64
//! groups 4
//! in int a = rand(np.int32, N)
//! in uint flags = [0, 1, 2, 3]
//! let g, l = a.reshape(4, 64), np.arange(64)
//! out int r = np.stack([g[0], g[1][::-1], g[2][l ^ 5], g[3][::-1][l ^ 5]])
shared int kept[64];
void main() {
  uint l = gl_LocalInvocationID.x, flag = flags[gl_WorkGroupID.x];
  int x = a[I];
  if (flag != 0) {
    if ((flag & 1u) != 0) {
      kept[l] = x;
      barrier();
      x = kept[63 - l];
      barrier();
    }
    if (flag >= 2) {
      kept[l] = x;
      barrier();
      x = kept[l ^ 5];
    }
  }
  r[I] = x;
}
