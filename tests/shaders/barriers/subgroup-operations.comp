// Subgroup operations on both sides of barriers, and between them in a loop.
//! subgroup 4 8 16
//! size 32
//! in int a = rand(np.int32, N, low=0, high=9)
//! let g = a.reshape(2, -1, SG).sum(2)
//! out int r = np.repeat(g.sum(1) * 3, 32)
shared int sums[8];
void main() {
  int total = 0;
  for (int i = 0; i < 3; i++) {
    int s = subgroupAdd(a[I]);
    sums[gl_SubgroupID] = s;
    barrier();
    for (uint k = 0; k < 32 / SG; k++)
      total += sums[k];
    barrier();
  }
  r[I] = total;
}
