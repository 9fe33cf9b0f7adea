// Reductions, scans and clustered reductions of booleans.
//! subgroup 4 8 16
//! size 32
//! in uint a = rand(np.uint32, N, low=0, high=3)
//! let b = (a > 0).reshape(-1, SG)
//! let rep = lambda x: np.repeat(x, SG)
//! out uint r = rep(b.all(1)) + 2 * rep(b.any(1)) + 4 * rep(np.logical_xor.reduce(b, 1)) + 8 * np.logical_and.accumulate(b, 1).ravel() + 16 * np.repeat(b.reshape(-1, 4).any(1), 4)
void main() {
  bool b = a[I] > 0;
  r[I] = uint(subgroupAnd(b)) + 2 * uint(subgroupOr(b)) + 4 * uint(subgroupXor(b)) +
         8 * uint(subgroupInclusiveAnd(b)) + 16 * uint(subgroupClusteredOr(b, 4));
}
