// Inclusive and exclusive scans of floats.
//! for T: float16_t float double
//! subgroup 4 8 16 32 64
//! size 64
//! in T a = rand(np.int32, N, low=-9, high=9)
//! in T p = np.array([1, 2, 0.5, -1] + [-1, 1] * 6)[I % 16]
//! let inc = lambda f, x: f.accumulate(x.reshape(-1, SG), axis=1)
//! let exc = lambda f, x, unit: np.hstack([np.full((N // SG, 1), unit), inc(f, x)[:, :-1]])
//! out T r = np.stack([inc(np.add, a), inc(np.multiply, p), inc(np.minimum, a), inc(np.maximum, a),
//!     exc(np.add, a, 0), exc(np.multiply, p, 1), exc(np.minimum, a, np.inf),
//!     exc(np.maximum, a, -np.inf)])
void main() {
  uint n = gl_NumWorkGroups.x * 64;
  r[I] = subgroupInclusiveAdd(a[I]);
  r[n + I] = subgroupInclusiveMul(p[I]);
  r[2 * n + I] = subgroupInclusiveMin(a[I]);
  r[3 * n + I] = subgroupInclusiveMax(a[I]);
  r[4 * n + I] = subgroupExclusiveAdd(a[I]);
  r[5 * n + I] = subgroupExclusiveMul(p[I]);
  r[6 * n + I] = subgroupExclusiveMin(a[I]);
  r[7 * n + I] = subgroupExclusiveMax(a[I]);
}
