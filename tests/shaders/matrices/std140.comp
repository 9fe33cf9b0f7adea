// Uniform matrices, whose columns (or rows) take 16 bytes at any length.
//! for M,C,R: mat2,2,2 mat2x3,2,3 mat3x2,3,2 mat3,3,3 mat4x3,4,3 mat3x4,3,4 mat4,4,4
//! size 1
//! groups 1
//! let memory = np.zeros(4 * (C + R) + 4)
//! let filled = [memory.__setitem__(c * 4 + r, c * 10 + r) or memory.__setitem__(4 * C + r * 4 + c, 100 + c * 10 + r) for c in range(C) for r in range(R)]
//! let last = memory.__setitem__(4 * (C + R), 77)
//! raw float m @0.0 = memory
//! out float seen = [x for c in range(C) for r in range(R) for x in (c * 10 + r, 100 + c * 10 + r, 77)]
layout(std140, set = 0, binding = 0) uniform Block {
  layout(column_major) M columns;
  layout(row_major) M rows;
  float after;
};
void main() {
  for (int c = 0; c < C; c++)
    for (int r = 0; r < R; r++) {
      seen[(c * R + r) * 3] = columns[c][r];
      seen[(c * R + r) * 3 + 1] = rows[c][r];
      seen[(c * R + r) * 3 + 2] = after;
    }
}
