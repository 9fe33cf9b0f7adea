// Long arrays are copied as a whole, in control flow that diverges. Copies outlive their source.
// They receive single elements, constants, and nested arrays. No length is a multiple of a copy loop's
// step.
//! groups 1
//! let row = np.arange(N * 203).reshape(N, 203)
//! let odd = I[:, None] % 4 == 1
//! raw int x @0.0 = row -> np.where(I[:, None] % 3 == 0, -np.arange(203), row)
//! raw int y @0.1 = np.zeros(N * 203)
//!   -> np.where(np.arange(203) == 77, 1000 + I[:, None], row) * ~odd
//! raw int z @0.2 = np.zeros(N * 70)
//!   -> np.where(odd, 7 - np.arange(70) % 7, np.where(np.arange(70) == I[:, None], 5, row[:, 1:71]))
//! raw int w @0.3 = np.zeros(N * 203) -> np.where(I[:, None] % 3 == 1, row, row[::-1])
struct S { int head; int list[70]; ivec2 pairs[33]; int grid[2][33]; };
layout(scalar, set = 0, binding = 0) buffer X { S xs[]; };
layout(scalar, set = 0, binding = 1) buffer Y { S ys[]; };
layout(scalar, set = 0, binding = 2) buffer Z { int zs[][70]; };
layout(scalar, set = 0, binding = 3) buffer W { S ws[]; };
#define SEVEN 7, 6, 5, 4, 3, 2, 1
const int sevens[70] = int[70](SEVEN, SEVEN, SEVEN, SEVEN, SEVEN, SEVEN, SEVEN, SEVEN, SEVEN, SEVEN);
void main() {
  S s = xs[I], other = xs[N - 1 - I];
  barrier();
  if (I % 3 == 0) {
    S n;
    n.head = 0;
    for (int k = 0; k < 70; ++k)
      n.list[k] = -1 - k;
    for (int k = 0; k < 33; ++k) {
      n.pairs[k] = ivec2(-71 - 2 * k, -72 - 2 * k);
      n.grid[0][k] = -137 - k;
      n.grid[1][k] = -170 - k;
    }
    xs[I] = n;
  }
  int list[70] = s.list;
  S kept = s;
  for (int k = 0; k <= I % 3; ++k) { // runs one, two or three times
    S swapped = s;
    s = other;
    other = swapped;
  }
  ws[I] = s;
  s = kept;
  s.pairs[3].x = 1000 + int(I);
  if (I % 4 == 1) {
    zs[I] = sevens;
  } else {
    ys[I] = s;
    list[I] = 5;
    zs[I] = list;
  }
}
