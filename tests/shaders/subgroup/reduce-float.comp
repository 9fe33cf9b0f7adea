// Reductions of floats whose sums and products are exact in every order.
//! for T: float16_t float double
//! subgroup 4 8 16 32 64
//! size 64
//! in T a = rand(np.int32, N, low=-9, high=9)
//! in T p = np.array([1, 2, 0.5, -1] + [-1, 1] * 6)[I % 16]
//! let each = lambda f, x: np.repeat(f(x.reshape(-1, SG), axis=1), SG)
//! out T add = each(np.sum, a)
//! out T mul = each(np.prod, p)
//! out T low = each(np.min, a)
//! out T high = each(np.max, a)
void main() {
  add[I] = subgroupAdd(a[I]);
  mul[I] = subgroupMul(p[I]);
  low[I] = subgroupMin(a[I]);
  high[I] = subgroupMax(a[I]);
}
