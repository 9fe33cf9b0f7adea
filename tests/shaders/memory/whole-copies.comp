// Structs and arrays are copied as a whole between buffers, variables and workgroup memory.
// Word 9 is padding of the struct.
//! groups 1
//! raw int x @0.0 = np.arange(N * 12)
//! raw int y @0.1 = np.zeros(N * 12) -> np.where(np.arange(12) == 9, 0, np.roll(np.arange(N * 12).reshape(N, 12), -1, 0))
struct S { ivec4 v; int list[5]; ivec2 w; };
layout(std430, set = 0, binding = 0) buffer X { S xs[]; };
layout(std430, set = 0, binding = 1) buffer Y { S ys[]; };
shared S kept[32];
void main() {
  kept[I] = xs[I];
  barrier();
  S s = kept[(I + 1) % 32];
  ys[I] = s;
}
