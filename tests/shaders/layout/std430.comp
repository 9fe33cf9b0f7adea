// A struct with members of all kinds, in the layout of std430.
//! size 1
//! groups 1
//! let f = lambda *x: np.array(x, np.float32).view(np.uint32).tolist()
//! raw uint m @0.0 = np.array(f(1) + [0] + f(2, 3) + f(4, 5, 6) + [7] + f(8, 9, 10, 11) + f(12, 13) + [14, 15] + [16, 17, 18, 0] + [19, 0, 0, 0])
//! out float r = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]
struct Inner { uvec3 v; };
layout(std430, set = 0, binding = 0) buffer Block {
  float a;
  vec2 b;
  vec3 c;
  uint d;
  vec4 e;
  float f[2];
  uint g[2];
  Inner h;
  uint i;
};
void main() {
  r[0] = a;
  r[1] = b.x; r[2] = b.y;
  r[3] = c.x; r[4] = c.y; r[5] = c.z;
  r[6] = float(d);
  for (int k = 0; k < 4; k++) r[7 + k] = e[k];
  r[11] = f[0]; r[12] = f[1];
  r[13] = float(g[0]); r[14] = float(g[1]);
  r[15] = float(h.v.x); r[16] = float(h.v.y); r[17] = float(h.v.z);
  r[18] = float(i);
}
