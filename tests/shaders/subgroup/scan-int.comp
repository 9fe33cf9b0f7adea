//! for T: int8_t uint8_t int16_t uint16_t int uint int64_t uint64_t
//! subgroup 4 8 16 32 64
//! size 64
//! in T a = rand(T, N)
//! let inc = lambda f: f.accumulate(a.reshape(-1, SG), axis=1, dtype=T)
//! let exc = lambda f, unit: np.hstack([np.full((N // SG, 1), unit, T), inc(f)[:, :-1]])
//! let top, bottom = np.iinfo(T).max, np.iinfo(T).min
//! out T r = np.stack([inc(f) for f in (np.add, np.multiply, np.minimum, np.maximum,
//!     np.bitwise_and, np.bitwise_or, np.bitwise_xor)] + [exc(np.add, 0), exc(np.multiply, 1),
//!     exc(np.minimum, top), exc(np.maximum, bottom), exc(np.bitwise_and, T(0) - T(1)),
//!     exc(np.bitwise_or, 0), exc(np.bitwise_xor, 0)])
void main() {
  uint n = gl_NumWorkGroups.x * 64;
  r[I] = subgroupInclusiveAdd(a[I]);
  r[n + I] = subgroupInclusiveMul(a[I]);
  r[2 * n + I] = subgroupInclusiveMin(a[I]);
  r[3 * n + I] = subgroupInclusiveMax(a[I]);
  r[4 * n + I] = subgroupInclusiveAnd(a[I]);
  r[5 * n + I] = subgroupInclusiveOr(a[I]);
  r[6 * n + I] = subgroupInclusiveXor(a[I]);
  r[7 * n + I] = subgroupExclusiveAdd(a[I]);
  r[8 * n + I] = subgroupExclusiveMul(a[I]);
  r[9 * n + I] = subgroupExclusiveMin(a[I]);
  r[10 * n + I] = subgroupExclusiveMax(a[I]);
  r[11 * n + I] = subgroupExclusiveAnd(a[I]);
  r[12 * n + I] = subgroupExclusiveOr(a[I]);
  r[13 * n + I] = subgroupExclusiveXor(a[I]);
}
