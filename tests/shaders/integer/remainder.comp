// `%` is defined for non-negative operands. OpSRem and OpSMod are tested in assembly.
//! for T: uint8_t uint16_t int uint int64_t uint64_t
//! let x, y = pairs(T, N)
//! let m = np.iinfo(T).max
//! in T a = x & m
//! in T b = nonzero(y & m)
//! out T r = a - b * div(a, b)
void main() {
  r[I] = a[I] % b[I];
}
