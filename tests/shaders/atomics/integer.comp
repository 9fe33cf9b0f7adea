// Every integer atomic, applied to one word by all invocations.
//! for T: int uint int64_t uint64_t
//! in T a = rand(T, N)
//! let start = rand(T, 7, seed=5)
//! let low, high = start[1], start[2]
//! inout T w = start -> [int(start[0]) + int(a.astype(object).sum()), min(low, a.min()),
//!     max(high, a.max()), start[3] & np.bitwise_and.reduce(a),
//!     start[4] | np.bitwise_or.reduce(a), start[5] ^ np.bitwise_xor.reduce(a), start[6]]
void main() {
  atomicAdd(w[0], a[I]);
  atomicMin(w[1], a[I]);
  atomicMax(w[2], a[I]);
  atomicAnd(w[3], a[I]);
  atomicOr(w[4], a[I]);
  atomicXor(w[5], a[I]);
}
