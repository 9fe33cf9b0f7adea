//! for C: 2 4 8
//! subgroup 8 16
//! size 32
//! in uint a = rand(np.uint32, N)
//! let each = lambda f: np.repeat(f.reduce(a.reshape(-1, C), axis=1), C)
//! out uint r = np.stack([each(np.bitwise_and), each(np.bitwise_or), each(np.bitwise_xor), each(np.multiply)])
void main() {
  r[I] = subgroupClusteredAnd(a[I], C);
  r[N + I] = subgroupClusteredOr(a[I], C);
  r[2 * N + I] = subgroupClusteredXor(a[I], C);
  r[3 * N + I] = subgroupClusteredMul(a[I], C);
}
