//! for T: int float int64_t float16_t int8_t double
//! subgroup 4 8 16 32 64
//! size 64
//! in T a = rand(T, N)
//! let q = a.reshape(-1, 4)
//! out T r = np.stack([q[:, [1, 0, 3, 2]], q[:, [2, 3, 0, 1]], q[:, [3, 2, 1, 0]],
//!     q[:, [2, 2, 2, 2]]])
void main() {
  uint n = gl_NumWorkGroups.x * 64;
  r[I] = subgroupQuadSwapHorizontal(a[I]);
  r[n + I] = subgroupQuadSwapVertical(a[I]);
  r[2 * n + I] = subgroupQuadSwapDiagonal(a[I]);
  r[3 * n + I] = subgroupQuadBroadcast(a[I], 2);
}
