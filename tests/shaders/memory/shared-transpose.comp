// A transpose through a tile in workgroup memory.
//! for T: float int uint8_t double
//! size 16 16
//! groups 2 2
//! in T a = rand(np.int32, 32 * 32, low=0, high=100)
//! out T r = a.reshape(32, 32).T
shared T tile[16][17];
void main() {
  uvec2 g = gl_GlobalInvocationID.xy, l = gl_LocalInvocationID.xy, o = gl_WorkGroupID.yx * 16 + l;
  tile[l.y][l.x] = a[g.y * 32 + g.x];
  barrier();
  r[o.y * 32 + o.x] = tile[l.x][l.y];
}
