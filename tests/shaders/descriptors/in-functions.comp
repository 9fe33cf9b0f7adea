// Functions access arrays of buffers of structs.
//! groups 1
//! raw int b0 @2.1.0 = np.arange(4 * N)
//! raw int b1 @2.1.1 = np.arange(4 * N) * 2 -> np.where(np.arange(4 * N) % 4 == 3, 7, np.arange(4 * N) * 2)
//! out int r = (4 * I + 1) + 2 * (4 * I + 2)
struct S { ivec2 v; int list[2]; };
layout(set = 2, binding = 1) buffer B { S s[]; } b[2];
int get(uint k, uint i) { return k == 0 ? b[k].s[i].v.y : b[k].s[i].list[0]; }
void main() {
  r[I] = get(0, I) + get(1, I);
  b[1].s[I].list[1] = 7;
}
