// Copies an array between three layouts, from each to the next.
//! size 1
//! groups 1
//! raw uint u @0.0 = [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0]
//! raw uint s @0.1 = np.zeros(4) -> [1, 2, 3, 4]
//! raw uint16_t t @0.2 = np.zeros(4) -> [2, 4, 6, 8]
layout(std140, set = 0, binding = 0) uniform U { uint u[4]; };
layout(std430, set = 0, binding = 1) buffer S { uint s[4]; };
layout(std430, set = 0, binding = 2) buffer T { uint16_t t[4]; };
void main() {
  uint copy[4] = u;
  s = copy;
  for (int i = 0; i < 4; i++)
    t[i] = uint16_t(s[i] * 2);
}
