// Subgroup operations include active invocations only.
//! subgroup 4 8 16
//! size 32
//! in int a = rand(np.int32, N, low=0, high=100)
//! let on = a % 3 == 0
//! let g, m = a.reshape(-1, SG), on.reshape(-1, SG)
//! let rep = lambda x: np.repeat(x, SG)
//! let count = lambda m: rep(m.sum(1))
//! out int sum = np.where(on, rep((g * m).sum(1)), -rep((g * ~m).sum(1)))
//! out uint votes = np.where(on, count(m), count(~m))
//! out int firsts = np.where(on, rep([r[k].tolist()[0] if k.any() else 0 for r, k in zip(g, m)]),
//!     rep([r[~k].tolist()[0] if (~k).any() else 0 for r, k in zip(g, m)]))
//! out uint rank = np.where(on, (np.cumsum(m, 1) - m).ravel(), (np.cumsum(~m, 1) - ~m).ravel())
void main() {
  if (a[I] % 3 == 0) {
    sum[I] = subgroupAdd(a[I]);
    votes[I] = subgroupBallotBitCount(subgroupBallot(true));
    firsts[I] = subgroupBroadcastFirst(a[I]);
    rank[I] = subgroupExclusiveAdd(1u);
  } else {
    sum[I] = -subgroupAdd(a[I]);
    votes[I] = subgroupBallotBitCount(subgroupBallot(true));
    firsts[I] = subgroupBroadcastFirst(a[I]);
    rank[I] = subgroupExclusiveAdd(1u);
  }
}
