// Outer products, transposes, columns by a varying index, and constructors that truncate and pad.
//! in vec4 a = rand(np.int32, N, 4, low=-9, high=9)
//! let o = a[:, :2, None] * a[:, None, 1:4]
//! out float outer = o.transpose(0, 2, 1)
//! out float turned = o
//! out vec2 column = o.transpose(0, 2, 1)[I, I % 3]
//! out vec4 padded = np.stack([np.stack([o[:, 0, 0], o[:, 1, 0], 0 * I, 0 * I], 1), np.stack([o[:, 0, 2], o[:, 1, 2], 0 * I + 1, 0 * I], 1), np.stack([0 * I, 0 * I, 0 * I, 0 * I + 1], 1)], 1).reshape(-1, 4)
//! out float diagonal = np.stack([a[:, 0], 0 * I, 0 * I, a[:, 0]], 1)
void main() {
  mat3x2 m = outerProduct(a[I].xy, a[I].yzw);
  mat2x3 t = transpose(m);
  for (int c = 0; c < 3; c++)
    for (int r = 0; r < 2; r++) {
      outer[I * 6 + c * 2 + r] = m[c][r];
      turned[I * 6 + r * 3 + c] = t[r][c];
    }
  column[I] = m[I % 3];
  mat4 big = mat4(m);
  padded[3 * I] = big[0];
  padded[3 * I + 1] = big[2];
  padded[3 * I + 2] = big[3];
  mat2 d = mat2(a[I].x);
  diagonal[4 * I] = d[0].x;
  diagonal[4 * I + 1] = d[0].y;
  diagonal[4 * I + 2] = d[1].x;
  diagonal[4 * I + 3] = d[1].y;
}
