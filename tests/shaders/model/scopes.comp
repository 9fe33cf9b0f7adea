// Barriers and atomics of every scope and storage class.
//! size 64
//! in int a = rand(np.int32, N, low=-99, high=99)
//! let g = a.reshape(2, 64)
//! out int r = np.repeat(g.sum(1), 64)
//! inout int total = np.zeros(1) -> [a.sum()]
#pragma use_vulkan_memory_model
shared int sum;
void main() {
  if (gl_LocalInvocationIndex == 0)
    atomicStore(sum, 0, gl_ScopeWorkgroup, gl_StorageSemanticsShared, gl_SemanticsRelaxed);
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsShared,
                 gl_SemanticsAcquireRelease);
  atomicAdd(sum, a[I], gl_ScopeWorkgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
  memoryBarrier(gl_ScopeSubgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
  atomicAdd(total[0], a[I], gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelaxed);
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared,
                 gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);
  r[I] = sum;
}
