// A matrix product with tiles of both factors in workgroup memory.
//! size 8 8
//! groups 3 2
//! in float a = rand(np.int32, 16 * 40, low=-9, high=9)
//! in float b = rand(np.int32, 40 * 24, low=-9, high=9)
//! out float c = a.reshape(16, 40) @ b.reshape(40, 24)
shared float x[8][8], y[8][8];
void main() {
  uvec2 l = gl_LocalInvocationID.xy, g = gl_GlobalInvocationID.xy;
  float s = 0;
  for (uint k = 0; k < 40; k += 8) {
    x[l.y][l.x] = a[g.y * 40 + k + l.x];
    y[l.y][l.x] = b[(k + l.y) * 24 + g.x];
    barrier();
    for (uint i = 0; i < 8; i++)
      s += x[l.y][i] * y[i][l.x];
    barrier();
  }
  c[g.y * 24 + g.x] = s;
}
