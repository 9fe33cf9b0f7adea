// Matrices of f64, and a product of several.
//! in double a = rand(np.int32, N, low=-3, high=3)
//! out double r = [(np.linalg.matrix_power(np.array([[1, x], [0, 1]]), 5)[0, 1]) for x in a]
void main() {
  dmat2 m = dmat2(1, 0, a[I], 1), p = dmat2(1);
  for (int i = 0; i < 5; i++)
    p *= m;
  r[I] = p[1][0];
}
