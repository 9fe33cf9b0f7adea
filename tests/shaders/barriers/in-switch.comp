// Barriers in a switch with a uniform selector. Cases fall through, and one has no barrier.
//! size 64
//! groups 4
//! in int a = rand(np.int32, N)
//! let g = a.reshape(4, 64)
//! let l = np.arange(64)
//! out int r = np.stack([g[0][::-1] + 1, g[1][::-1] + g[1][l ^ 1] + 1, g[2][l ^ 1] + 1, g[3]])
shared int kept[64];
void main() {
  uint l = gl_LocalInvocationID.x;
  int x = 0;
  switch (gl_WorkGroupID.x) {
  case 1:
    kept[l] = a[I];
    barrier();
    x += kept[l ^ 1];
    barrier();
  case 0:
    kept[l] = a[I];
    barrier();
    x += kept[63 - l];
    x += 1;
    break;
  case 2:
    kept[l] = a[I];
    barrier();
    x = kept[l ^ 1] + 1;
    break;
  default:
    x = a[I];
  }
  r[I] = x;
}
