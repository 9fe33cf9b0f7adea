//! for T,U: float,3 double,3
//! in T a = rand(T, N, low=0.01, high=100)
//! let w = a.astype(np.float64)
//! out T s ~ulps:U = np.sqrt(w)
//! out T i ~ulps:U = 1 / np.sqrt(w)
void main() {
  s[I] = sqrt(a[I]);
  i[I] = inversesqrt(a[I]);
}
