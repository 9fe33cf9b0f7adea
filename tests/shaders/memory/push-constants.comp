// Push constants of every kind, at explicit offsets.
//! push a = 7
//! push b = [1.5, 2.5]
//! push c = [1, 2, 3, 4, 5, 6, 7, 8, 9]
//! push d = -5
//! push e = 1234567890123
//! out float r = np.stack([7 + I, 1.5 + I, 2.5 + I, np.array([1, 2, 3, 4, 5, 6, 7, 8, 9])[I % 9], -5 * I])
//! out int64_t w = 1234567890123
layout(push_constant, std430) uniform P {
  int a;
  layout(offset = 16) vec2 b;
  mat3 c;
  layout(offset = 80) int d;
  int64_t e;
};
void main() {
  r[I] = a + int(I);
  r[N + I] = b.x + I;
  r[2 * N + I] = b.y + I;
  r[3 * N + I] = c[I % 9 / 3][I % 3];
  r[4 * N + I] = d * int(I);
  w[I] = e;
}
