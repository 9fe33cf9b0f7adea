// Determinants and inverses of integer matrices, which are exact.
//! for M,T,D: mat2,float,2 mat3,float,3 mat4,float,4 dmat2,double,2 dmat3,double,3 dmat4,double,4
//! let lower = np.tril(rand(np.int32, N, D, D, low=-2, high=2), -1) + np.eye(D)
//! let upper = np.triu(rand(np.int32, N, D, D, low=-2, high=2, seed=1), 1) + np.diag([1, 2, -1, 2][:D])
//! let m = lower @ upper
//! in T a = m.transpose(0, 2, 1)
//! out T det ~relative:1e-4 ~absolute:1e-4 = np.full(N, np.prod([1, 2, -1, 2][:D]))
//! out T inv ~relative:1e-3 ~absolute:1e-3 = np.linalg.inv(m).transpose(0, 2, 1)
void main() {
  M m;
  for (int c = 0; c < D; c++)
    for (int r = 0; r < D; r++)
      m[c][r] = a[(I * D + c) * D + r];
  M n = inverse(m);
  det[I] = determinant(m);
  for (int c = 0; c < D; c++)
    for (int r = 0; r < D; r++)
      inv[(I * D + c) * D + r] = n[c][r];
}
