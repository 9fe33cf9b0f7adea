// Quad operations in loops, and reductions in clusters of four lanes.
//! for T: int float uint16_t
//! subgroup 4 8 16
//! size 32
//! in T a = rand(np.int32, N, low=0, high=50)
//! let q = a.reshape(-1, 4)
//! out T r = np.repeat(q.sum(1), 4)
//! out T s = np.repeat(q.max(1), 4)
//! out T t = np.repeat(q[:, 3], 4) + np.repeat(q[:, 0], 4)
void main() {
  T x = a[I];
  x += subgroupQuadSwapHorizontal(x);
  x += subgroupQuadSwapVertical(x);
  r[I] = x;
  s[I] = subgroupClusteredMax(a[I], 4);
  t[I] = subgroupQuadBroadcast(a[I], 3) + subgroupQuadBroadcast(a[I], 0);
}
