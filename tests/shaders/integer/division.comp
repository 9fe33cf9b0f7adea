// Divisions that GLSL defines: no divisor is zero, and no quotient overflows.
//! for T: int8_t uint8_t int16_t uint16_t int uint int64_t uint64_t
//! let x, y = pairs(T, N)
//! let bad = (y == 0) | ((x == np.iinfo(T).min) & (y == wrap(-1, T)) & (np.dtype(T).kind == 'i'))
//! in T a = x
//! in T b = np.where(bad, 3, y)
//! out T q = div(a, b)
void main() {
  q[I] = a[I] / b[I];
}
