//! in vec4 a = rand(np.float32, N, 4)
//! in vec4 b = rand(np.float32, N, 4, seed=1)
//! let A, B = a[:, :3].astype(np.float64), b[:, :3].astype(np.float64)
//! let n, i = A / np.sqrt((A * A).sum(1))[:, None], B / np.sqrt((B * B).sum(1))[:, None]
//! let d = (n * i).sum(1)
//! let k = 1 - 0.25 * (1 - d * d)
//! out float c ~absolute:1e-4 = np.cross(A, B)
//! out float f ~absolute:1e-3 = 0.5 * i - (0.5 * d + np.sqrt(k))[:, None] * n
//! out float none = np.zeros(3 * N)
void main() {
  vec3 x = cross(a[I].xyz, b[I].xyz), n = normalize(a[I].xyz), i = normalize(b[I].xyz);
  vec3 y = refract(i, n, 0.5);
  // Total reflection: the refracted vector is zero.
  vec3 z = refract(vec3(1, 0, 0), vec3(0, 1, 0), 1.5);
  for (uint j = 0; j < 3; j++) {
    c[3 * I + j] = x[j];
    f[3 * I + j] = y[j];
    none[3 * I + j] = z[j];
  }
}
