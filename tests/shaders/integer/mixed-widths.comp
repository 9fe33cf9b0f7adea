// Narrow integers are promoted, computed with, and truncated again.
//! in int8_t a = rand(np.int8, N)
//! in uint16_t b = rand(np.uint16, N)
//! let x, y = a.astype(np.int64), b.astype(np.int64)
//! out int8_t r = x * 3 + y
//! out uint16_t s = y * y - x
//! out int64_t t = (x << 40) + y
//! out int u = np.where(x < 0, y, x)
void main() {
  r[I] = int8_t(int(a[I]) * 3 + int(b[I]));
  s[I] = uint16_t(int(b[I]) * int(b[I]) - int(a[I]));
  t[I] = (int64_t(a[I]) << 40) + int64_t(b[I]);
  u[I] = a[I] < int8_t(0) ? int(b[I]) : int(a[I]);
}
