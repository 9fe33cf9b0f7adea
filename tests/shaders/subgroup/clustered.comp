// Clustered reductions of each size up to the subgroup's.
//! for T: int uint float int64_t double float16_t int8_t
//! for C: 1 2 4 8 16
//! subgroup 4 8 16
//! size 32
//! let C_ = min(C, SG)
//! in T a = rand(np.int32, N, low=-9, high=9) if np.dtype(T).kind != 'u' else rand(T, N, low=0, high=9)
//! let each = lambda f: np.repeat(f(a.reshape(-1, C_), axis=1, dtype=T), C_)
//! out T add = each(np.sum)
//! out T low = np.repeat(a.reshape(-1, C_).min(1), C_)
//! out T high = np.repeat(a.reshape(-1, C_).max(1), C_)
#define WIDTH (C < SG ? C : SG)
void main() {
  add[I] = subgroupClusteredAdd(a[I], WIDTH);
  low[I] = subgroupClusteredMin(a[I], WIDTH);
  high[I] = subgroupClusteredMax(a[I], WIDTH);
}
