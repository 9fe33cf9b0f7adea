// Atomic loads and stores with explicit scope and semantics.
//! for T: int uint int64_t uint64_t
//! in T a = edges(T, N)
//! out T stored = a
//! out T loaded = a
#pragma use_vulkan_memory_model
void main() {
  atomicStore(stored[I], a[I], gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
  loaded[I] = atomicLoad(stored[I], gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
}
