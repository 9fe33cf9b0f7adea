// Every built-in ID, in three-dimensional workgroups whose odd sizes do not divide into subgroups.
//! for X,Y,Z: 3,5,7 1,1,1 17,2,3 1,33,1 5,1,9 64,1,1
//! size X Y Z
//! groups 2 3 2
//! let S, G = X * Y * Z, 12
//! let w = np.arange(12)
//! let wx, wy, wz = w % 2, w // 2 % 3, w // 6
//! let l = np.arange(S)
//! let lx, ly, lz = l % X, l // X % Y, l // (X * Y)
//! out uvec4 r = np.array([[[lx[i], ly[i], lz[i], i], [wx[g], wy[g], wz[g], g], [wx[g] * X + lx[i], wy[g] * Y + ly[i], wz[g] * Z + lz[i], 0]] for g in range(12) for i in range(S)])
//! out uint constant = [2, 3, 2, X, Y, Z]
void main() {
  uvec3 g = gl_WorkGroupID, n = gl_NumWorkGroups;
  uint group = (g.z * n.y + g.y) * n.x + g.x, at = group * (X * Y * Z) + gl_LocalInvocationIndex;
  r[3 * at] = uvec4(gl_LocalInvocationID, gl_LocalInvocationIndex);
  r[3 * at + 1] = uvec4(g, group);
  r[3 * at + 2] = uvec4(gl_GlobalInvocationID, 0);
  if (at == 0) {
    constant[0] = n.x; constant[1] = n.y; constant[2] = n.z;
    constant[3] = gl_WorkGroupSize.x; constant[4] = gl_WorkGroupSize.y;
    constant[5] = gl_WorkGroupSize.z;
  }
}
