// Nested arrays of structs.
//! groups 1
//! raw int m @0.0 = np.arange(N * 16) -> np.where(np.arange(N * 16) % 16 == 9, -1 - np.arange(N * 16) // 16, np.arange(N * 16))
//! let base = np.arange(N) * 16
//! out int r = np.stack([base + 0, base + 1 + (I % 3) * 4, base + 2 + (I % 3) * 4 + (I % 2), base + 12 + I % 4])
struct Leaf { int a; int b; int c[2]; };
struct Tree { Leaf leaves[3]; ivec4 root; };
layout(std430, set = 0, binding = 0) buffer Block { Tree trees[]; };
void main() {
  r[I] = trees[I].leaves[0].a;
  r[N + I] = trees[I].leaves[I % 3].b;
  r[2 * N + I] = trees[I].leaves[I % 3].c[I % 2];
  r[3 * N + I] = trees[I].root[I % 4];
  trees[I].leaves[2].b = -1 - int(I);
}
