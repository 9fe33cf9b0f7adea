// Determinants and inverses of f16. Minors that cancel are computed in higher precision.
//! only cpu
//! for M,D: f16mat2,2 f16mat3,3 f16mat4,4
//! size 64
//! groups 4
//! in float16_t a = rand(np.float16, N, D * D, low=-4, high=4)
//! let m = a.reshape(N, D, D).transpose(0, 2, 1).astype(np.float64)
//! let well = np.abs(np.linalg.det(m)) > 4
//! out float16_t det ~ulps:1 ~absolute:1e-3 = np.linalg.det(m)
//! out float16_t inv ~ulps:1 ~absolute:1e-4 = np.where(well[:, None, None], np.linalg.inv(m), 0).transpose(0, 2, 1)
void main() {
  M m;
  for (int c = 0; c < D; c++)
    for (int r = 0; r < D; r++)
      m[c][r] = a[(I * D + c) * D + r];
  M n = inverse(m);
  det[I] = determinant(m);
  bool well = abs(det[I]) > float16_t(4);
  for (int c = 0; c < D; c++)
    for (int r = 0; r < D; r++)
      inv[(I * D + c) * D + r] = well ? n[c][r] : float16_t(0);
}
