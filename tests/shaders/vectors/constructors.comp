// Constructors from scalars, vectors and matrices that truncate, concatenate and convert.
//! in ivec4 a = rand(np.int32, N, 4, low=-99, high=99)
//! out vec4 r = np.stack([np.stack([a[:, 0], a[:, 1], a[:, 3], a[:, 2]], 1), a[:, [0, 0, 0, 0]], np.stack([a[:, 0], 0 * a[:, 0], 0 * a[:, 0], a[:, 0]], 1), np.stack([a[:, 1], a[:, 2], a[:, 3], a[:, 0]], 1)])
void main() {
  ivec4 v = a[I];
  r[I] = vec4(v.xy, v.w, v.z);
  r[N + I] = vec4(v.x);
  mat2 m = mat2(v.x);
  r[2 * N + I] = vec4(m[0], m[1]);
  vec3 t = vec3(v.yzw);
  r[3 * N + I] = vec4(t, float(v));
}
