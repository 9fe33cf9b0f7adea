// 8- and 16-bit push constants, including an array indexed by the lane.
//! push a = -3
//! push b = 60000
//! push c = [10, 20, 30, 40]
//! push h = 1.5
//! out int r = np.stack([0 * I - 3, 0 * I + 60000, np.array([10, 20, 30, 40])[I % 4], 0 * I + 3])
layout(push_constant, std430) uniform P {
  int8_t a;
  uint16_t b;
  uint8_t c[4];
  float16_t h;
};
void main() {
  r[I] = int(a);
  r[N + I] = int(b);
  r[2 * N + I] = int(c[I % 4]);
  r[3 * N + I] = int(float(h) * 2.0);
}
