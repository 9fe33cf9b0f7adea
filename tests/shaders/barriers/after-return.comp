// Some workgroups return before a barrier, and the others pass it.
//! size 64
//! groups 4
//! in int a = rand(np.int32, N)
//! let g = a.reshape(4, 64)
//! inout int r = np.full(N, -1) -> np.stack([g[0][::-1], np.full(64, -1), g[2][::-1], np.full(64, -1)])
shared int kept[64];
void main() {
  uint l = gl_LocalInvocationID.x;
  if (gl_WorkGroupID.x % 2u == 1u)
    return;
  kept[l] = a[I];
  barrier();
  r[I] = kept[63 - l];
}
