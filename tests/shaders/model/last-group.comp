// The last workgroup to arrive adds up the values of all workgroups.
//! size 32
//! groups 30
//! in int a = rand(np.int32, N, low=-99, high=99)
//! raw int partial @2.0 = np.zeros(30) -> a.reshape(30, 32).sum(1)
//! inout uint count = np.zeros(1) -> [30]
//! out int total = [a.sum()]
layout(set = 2, binding = 0) coherent buffer P { int partial[]; };
shared int sum;
shared bool last;
void main() {
  uint l = gl_LocalInvocationIndex;
  if (l == 0)
    sum = 0;
  barrier();
  atomicAdd(sum, a[I]);
  barrier();
  if (l == 0) {
    partial[gl_WorkGroupID.x] = sum;
    memoryBarrierBuffer();
    last = atomicAdd(count[0], 1) == gl_NumWorkGroups.x - 1;
  }
  barrier();
  if (last && l == 0) {
    memoryBarrierBuffer();
    int s = 0;
    for (uint i = 0; i < gl_NumWorkGroups.x; i++)
      s += partial[i];
    total[0] = s;
  }
}
