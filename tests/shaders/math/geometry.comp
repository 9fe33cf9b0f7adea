// Lengths, products and directions of vectors.
//! for V,T,D: vec2,float,2 vec3,float,3 vec4,float,4 dvec3,double,3
//! in T a = rand(T, N * D)
//! in T b = rand(T, N * D, seed=1)
//! let A, B = a.reshape(-1, D).astype(np.float64), b.reshape(-1, D).astype(np.float64)
//! let dots = (A * B).sum(1)
//! out T scalars ~relative:1e-5 ~absolute:1e-5 = np.stack([dots, np.sqrt((A * A).sum(1)), np.sqrt(((A - B) ** 2).sum(1))])
//! out T unit ~relative:1e-5 ~absolute:1e-5 = A / np.sqrt((A * A).sum(1))[:, None]
//! out T mirrored ~relative:1e-4 ~absolute:1e-4 = A - 2 * dots[:, None] * B
//! out T facing = np.where(dots[:, None] < 0, A, -A)
V take(uint at) { V v; for (int i = 0; i < D; i++) v[i] = a[at * D + i]; return v; }
V takeB(uint at) { V v; for (int i = 0; i < D; i++) v[i] = b[at * D + i]; return v; }
void main() {
  V x = take(I), y = takeB(I);
  scalars[I] = dot(x, y);
  scalars[N + I] = length(x);
  scalars[2 * N + I] = distance(x, y);
  V u = normalize(x), m = reflect(x, y), f = faceforward(x, x, y);
  for (int i = 0; i < D; i++) {
    unit[I * D + i] = u[i];
    mirrored[I * D + i] = m[i];
  }
  // faceforward(n, i, nref) is n if dot(nref, i) < 0
  for (int i = 0; i < D; i++)
    facing[I * D + i] = f[i];
}
