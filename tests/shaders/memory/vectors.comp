// Arrays of vectors of two, three and four: loaded whole, by component, and at a varying index.
//! in vec4 a = rand(np.float32, N, 4)
//! in uvec2 b = rand(np.uint32, N, 2)
//! in vec3 c = rand(np.float32, N, 3)
//! out vec4 r = np.stack([np.roll(a, -1, 0), a[:, [0, 0, 0, 0]]])
//! out uvec2 s = b[:, ::-1]
//! out float t = c[np.arange(N), I % 3]
void main() {
  r[I] = a[(I + 1) % N];
  r[N + I] = vec4(a[I].x);
  s[I] = b[I].yx;
  t[I] = c[I][I % 3];
}
