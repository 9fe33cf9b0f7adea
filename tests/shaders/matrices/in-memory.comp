// Row- and column-major matrices in std430, read and written as a whole and by element.
//! for M,C,R: mat2,2,2 mat2x3,2,3 mat3x2,3,2 mat3,3,3 mat4x3,4,3 mat3x4,3,4 mat4,4,4
//! let pad = lambda n: 2 if n == 2 else 4
//! let col, row = pad(R) * C, pad(C) * R
//! let offset = -(-col // 4) * 4
//! let total = -(-(offset + row) // 4) * 4
//! let values = np.arange(C * R).reshape(C, R)
//! let place = [c * pad(R) + r for c in range(C) for r in range(R)]
//! let turned = [offset + r * pad(C) + c for c in range(C) for r in range(R)]
//! let memory = np.zeros(total)
//! let filled = [memory.__setitem__(p, v + 1) or memory.__setitem__(q, 100 + v) for p, q, v in zip(place, turned, range(C * R))]
//! let swapped = memory.copy()
//! let done = [swapped.__setitem__(p, 2 * (100 + v)) or swapped.__setitem__(q, v + 1) for p, q, v in zip(place, turned, range(C * R))]
//! size 1
//! groups 1
//! raw float m @0.0 = memory -> swapped
//! out float seen = [v + 1 for v in range(C * R)] + [100 + v for v in range(C * R)]
layout(std430, set = 0, binding = 0) buffer Block {
  layout(column_major) M columns;
  layout(row_major) M rows;
};
void main() {
  M a = columns, b = rows;
  for (int c = 0; c < C; c++)
    for (int r = 0; r < R; r++) {
      seen[c * R + r] = columns[c][r];
      seen[C * R + c * R + r] = rows[c][r];
    }
  columns = b * 2.0;
  rows = a;
}
