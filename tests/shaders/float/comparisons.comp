// Comparisons with NaN are false, except `!=`. Positive and negative zero are equal.
//! for T: float16_t float double
//! let x, y = pairs(T, N)
//! in T a = x
//! in T b = np.where(I % 5 == 1, x, y)
//! out uint r = (a == b) + 2 * (a != b) + 4 * (a < b) + 8 * (a <= b) + 16 * (a > b) + 32 * (a >= b)
void main() {
  uint bits = 0;
  if (a[I] == b[I]) bits |= 1;
  bits |= a[I] != b[I] ? 2u : 0u;
  bits |= uint(a[I] < b[I]) << 2;
  bits |= uint(a[I] <= b[I]) << 3;
  if (a[I] > b[I]) bits += 16;
  bits += a[I] >= b[I] ? 32 : 0;
  r[I] = bits;
}
