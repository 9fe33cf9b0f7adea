// An array of row-major matrices, whose columns and elements are read and written by varying
// indices.
//! groups 1
//! let m = np.arange(N * 24)
//! raw float m @0.0 = m -> np.where(m % 24 == 23, -1, np.where((m % 24 == 13) | (m % 24 == 17), 8, m))
//! let k = I % 2
//! out float r = np.stack([24 * I + k * 4 + 2, 24 * I + 12 + 4 * (I % 3) + k, 24 * I + 8 + I % 3])
layout(std430, set = 0, binding = 0) buffer Block {
  layout(row_major) mat4x3 whole[];
};
void main() {
  // Rows have four elements: (row, column) is at 4 * row + column.
  r[I] = whole[2 * I][2][I % 2];
  r[N + I] = whole[2 * I + 1][I % 2][I % 3];
  r[2 * N + I] = whole[2 * I][I % 3][2];
  whole[2 * I + 1][3][2] = -1;
  whole[2 * I + 1][1] = vec3(8, 8, whole[2 * I + 1][1].z);
}
