//! for T: float double float16_t
//! in T a = rand(T, N)
//! inout T r = np.array([9, -9]) -> [a.min(), a.max()]
void main() {
  atomicMin(r[0], a[I]);
  atomicMax(r[1], a[I]);
}
