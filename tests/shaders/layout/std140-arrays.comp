// Arrays of scalars and vectors in a uniform block, read by varying indices.
//! raw float m @0.0 = np.arange(48)
//! let k = I % 3
//! out float r = np.stack([4 * k, 12 + 4 * k + 1, 24 + 8 * k, 24 + 8 * k + 4 + I % 2])
layout(std140, set = 0, binding = 0) uniform Block {
  float a[3];
  vec2 b[3];
  layout(offset = 96) vec4 c[6];
};
void main() {
  uint k = I % 3;
  r[I] = a[k];
  r[N + I] = b[k].y;
  r[2 * N + I] = c[2 * k].x;
  r[3 * N + I] = c[2 * k + 1][I % 2];
}
