// Every reduction of every integer type, over the whole subgroup.
//! for T: int8_t uint8_t int16_t uint16_t int uint int64_t uint64_t
//! subgroup 4 8 16 32 64
//! size 64
//! in T a = rand(T, N)
//! let g = a.reshape(-1, SG)
//! let each = lambda f: np.repeat(f(g), SG)
//! out T add = each(lambda g: wrap([int(r.astype(object).sum()) for r in g], T))
//! out T mul = each(lambda g: wrap([int(np.prod(r.astype(object))) for r in g], T))
//! out T low = each(lambda g: g.min(1))
//! out T high = each(lambda g: g.max(1))
//! out T both = each(lambda g: np.bitwise_and.reduce(g, 1))
//! out T any_ = each(lambda g: np.bitwise_or.reduce(g, 1))
//! out T flip = each(lambda g: np.bitwise_xor.reduce(g, 1))
void main() {
  add[I] = subgroupAdd(a[I]);
  mul[I] = subgroupMul(a[I]);
  low[I] = subgroupMin(a[I]);
  high[I] = subgroupMax(a[I]);
  both[I] = subgroupAnd(a[I]);
  any_[I] = subgroupOr(a[I]);
  flip[I] = subgroupXor(a[I]);
}
