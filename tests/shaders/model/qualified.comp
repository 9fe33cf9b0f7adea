// workgroupcoherent and related qualifiers, and barriers by their older names.
//! size 64
//! in int a = rand(np.int32, N)
//! raw int x @1.0 = np.zeros(128) -> a
//! out int r = a.reshape(2, 64)[:, ::-1]
#pragma use_vulkan_memory_model
layout(set = 1, binding = 0) workgroupcoherent buffer X { int x[]; };
void main() {
  x[I] = a[I];
  memoryBarrierBuffer();
  groupMemoryBarrier();
  memoryBarrier();
  memoryBarrierShared();
  barrier();
  r[I] = x[I / 64 * 64 + 63 - I % 64];
}
