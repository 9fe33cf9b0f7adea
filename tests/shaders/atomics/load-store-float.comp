// Atomic loads and stores of floats in buffers and in workgroup memory.
//! for T: float double
//! in T a = edges(T, N)
//! out T r = np.roll(a.reshape(2, 32), -1, 1)
shared T kept[32];
void main() {
  uint l = gl_LocalInvocationID.x;
  atomicStore(kept[l], a[I], gl_ScopeWorkgroup, gl_StorageSemanticsShared, gl_SemanticsRelaxed);
  barrier();
  r[I] = atomicLoad(kept[(l + 1) % 32], gl_ScopeWorkgroup, gl_StorageSemanticsShared,
                    gl_SemanticsRelaxed);
}
