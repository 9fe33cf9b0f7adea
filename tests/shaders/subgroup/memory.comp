// One lane stores, and the others of its subgroup read the value after subgroupBarrier.
//! subgroup 4 8 16
//! size 32
//! in int a = rand(np.int32, N)
//! let g = a.reshape(-1, SG)
//! out int r = np.roll(g, -1, 1)
shared int kept[32];
void main() {
  uint l = gl_LocalInvocationID.x, base = gl_SubgroupID * SG;
  kept[base + gl_SubgroupInvocationID] = a[I];
  subgroupMemoryBarrierShared();
  subgroupBarrier();
  r[I] = kept[base + (gl_SubgroupInvocationID + 1) % SG];
}
