// Uniform and storage buffers in several sets, two of each kind.
//! raw float u @1.3 = np.arange(16)
//! raw float v @2.0 = np.arange(16) * 100
//! raw int s @3.1 = np.arange(64) -> np.arange(64) * 2
//! out float r = np.array([0, 4, 8, 12])[I % 4] + 400 + I % 4 * 100
layout(std140, set = 1, binding = 3) uniform U { float x[4]; } u;
layout(std140, set = 2, binding = 0) uniform V { vec4 y[4]; } v;
layout(std430, set = 3, binding = 1) buffer S { int z[]; } s;
void main() {
  s.z[I] *= 2;
  r[I] = u.x[I % 4] + v.y[1][I % 4];
}
