// Broadcasts from a constant lane, from a uniform lane, and from the first active lane.
//! for T: int8_t int float int64_t double float16_t
//! subgroup 4 8 16 32 64
//! size 64
//! in T a = rand(np.int32, N, low=-100, high=100)
//! let g = a.reshape(-1, SG)
//! let rep = lambda x: np.repeat(x, SG)
//! out T r = np.stack([rep(g[:, 2]), rep(g[:, 3 % SG]), rep(g[:, 0])])
void main() {
  r[I] = subgroupBroadcast(a[I], 2);
  uint from = gl_NumWorkGroups.x + 1;
  r[N + I] = subgroupBroadcast(a[I], from % SG);
  r[2 * N + I] = subgroupBroadcastFirst(a[I]);
}
