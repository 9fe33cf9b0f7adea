// One invocation writes data and sets a flag with release; another reads the flag with acquire.
//! size 64
//! in int a = rand(np.int32, N)
//! out int r = np.roll(a.reshape(2, 64), -1, 1)
#pragma use_vulkan_memory_model
shared int data[64];
shared uint flags[64];
void main() {
  uint l = gl_LocalInvocationID.x, next = (l + 1) % 64;
  flags[l] = 0;
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsShared,
                 gl_SemanticsAcquireRelease);
  data[l] = a[I];
  atomicStore(flags[l], 1u, gl_ScopeWorkgroup, gl_StorageSemanticsShared, gl_SemanticsRelease);
  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsShared,
                 gl_SemanticsAcquireRelease);
  if (atomicLoad(flags[next], gl_ScopeWorkgroup, gl_StorageSemanticsShared, gl_SemanticsAcquire) == 1u)
    r[I] = data[next];
}
