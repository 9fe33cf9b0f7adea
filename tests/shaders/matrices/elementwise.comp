// Component-wise sums, differences, products and quotients, and products with scalars.
//! for M,C,R: mat2,2,2 mat2x3,2,3 mat2x4,2,4 mat3x2,3,2 mat3,3,3 mat3x4,3,4 mat4x2,4,2 mat4x3,4,3 mat4,4,4
//! in float a = rand(np.int32, N * C * R, low=-9, high=9)
//! let m, n = a.reshape(N, C * R), a.reshape(N, C * R)[:, ::-1]
//! out float r = np.stack([m + n, m - n, m * n, m * 3, m / 2, -m, m + 1])
M take(uint at) {
  M m;
  for (int c = 0; c < C; c++)
    for (int r = 0; r < R; r++)
      m[c][r] = a[at * C * R + c * R + r];
  return m;
}
void put(uint at, M m) {
  for (int c = 0; c < C; c++)
    for (int k = 0; k < R; k++)
      r[(at * N + I) * C * R + c * R + k] = m[c][k];
}
void main() {
  M m = take(I), n;
  for (int c = 0; c < C; c++)
    for (int r = 0; r < R; r++)
      n[c][r] = m[C - 1 - c][R - 1 - r];
  put(0, m + n);
  put(1, m - n);
  put(2, matrixCompMult(m, n));
  put(3, m * 3.0);
  put(4, m / 2.0);
  put(5, -m);
  put(6, m + 1.0);
}
