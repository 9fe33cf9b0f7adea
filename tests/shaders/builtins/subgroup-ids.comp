// Subgroups tile the workgroup: their sizes add up, and each lane number occurs once.
//! for X,Y: 3,5 17,1 64,1 1,1 100,1 13,7
//! size X Y
//! groups 3
//! inout uint count = np.zeros(3) -> X * Y
//! inout uint taken = np.zeros(3 * 128 * 64) -> anything
//! inout uint doubles = [0] -> 0
//! inout uint wrong = [0] -> 0
void main() {
  atomicAdd(count[gl_WorkGroupID.x], 1);
  uint slot = (gl_WorkGroupID.x * 128 + gl_SubgroupID) * 64 + gl_SubgroupInvocationID;
  if (atomicExchange(taken[slot], 1) != 0)
    atomicAdd(doubles[0], 1);
  if (gl_SubgroupInvocationID >= gl_SubgroupSize || gl_SubgroupID >= gl_NumSubgroups ||
      gl_SubgroupSize != SG)
    atomicAdd(wrong[0], 1);
}
