// A uniform block, with arrays and structs aligned to 16 bytes.
//! size 1
//! groups 1
//! raw uint m @0.0 = [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 5, 6, 7, 8, 9, 0, 0, 10, 0, 0, 0, 11, 12, 0, 0, 13, 0, 0, 0, 14, 15, 0, 0, 16, 0, 0, 0]
//! out uint r = np.arange(1, 17)
struct Pair { uvec2 v; };
struct Both { Pair p; uint x; };
layout(std140, set = 0, binding = 0) uniform Block {
  uint a;
  uint b[2];
  uvec3 c;
  uint d;
  Pair e;
  uint f[1];
  Both g[2];
};
void main() {
  uint got[16] = uint[16](a, b[0], b[1], c.x, c.y, c.z, d, e.v.x, e.v.y, f[0], g[0].p.v.x, g[0].p.v.y,
                          0, 0, 0, 0);
  got[12] = g[0].x;
  got[13] = g[1].p.v.x;
  got[14] = g[1].p.v.y;
  got[15] = g[1].x;
  for (int i = 0; i < 16; i++)
    r[i] = got[i];
}
