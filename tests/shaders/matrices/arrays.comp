// Arrays of matrices in memory and in variables, indexed by varying indices.
//! in float a = rand(np.int32, 8 * 9, low=-9, high=9)
//! in uint at = rand(np.uint32, N) % 8
//! let m = a.reshape(8, 3, 3).transpose(0, 2, 1)
//! out float r = (m[at] @ m[(at + 1) % 8]).transpose(0, 2, 1)
void main() {
  mat3 list[8];
  for (int i = 0; i < 8; i++)
    for (int c = 0; c < 3; c++)
      list[i][c] = vec3(a[i * 9 + c * 3], a[i * 9 + c * 3 + 1], a[i * 9 + c * 3 + 2]);
  mat3 p = list[at[I]] * list[(at[I] + 1) % 8];
  for (int c = 0; c < 3; c++)
    for (int k = 0; k < 3; k++)
      r[I * 9 + c * 3 + k] = p[c][k];
}
