// Each subgroup computes a sum, and the first subgroup adds up these sums.
//! for S: 8 16 24 64 256 1000
//! size S
//! in int a = rand(np.int32, N, low=-99, high=99)
//! out int r = a.reshape(2, S).sum(1)
shared int sums[256];
void main() {
  int s = subgroupAdd(a[I]);
  if (subgroupElect())
    sums[gl_SubgroupID] = s;
  barrier();
  if (gl_LocalInvocationIndex == 0) {
    int t = 0;
    for (uint i = 0; i < gl_NumSubgroups; i++)
      t += sums[i];
    r[gl_WorkGroupID.x] = t;
  }
}
