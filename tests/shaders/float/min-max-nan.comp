// nmin, nmax and nclamp choose the operand that is a number; min and max get numbers only.
//! for T: float double float16_t
//! let x, y = pairs(T, N)
//! in T a = x
//! in T b = np.where(np.isnan(y) & np.isnan(x), 3, y)
//! let na, nb = np.where(np.isnan(a), 1, a), np.where(np.isnan(b), 2, b)
//! out T r = np.stack([np.minimum(na, nb), np.maximum(na, nb), np.minimum(np.maximum(na, -1), 4)])
void main() {
  T x = isnan(a[I]) ? T(1) : a[I], y = isnan(b[I]) ? T(2) : b[I];
  r[I] = min(x, y);
  r[N + I] = max(x, y);
  r[2 * N + I] = clamp(x, T(-1), T(4));
}
