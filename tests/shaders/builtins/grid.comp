// Three-dimensional grids, some of them long in one dimension.
//! for A,B,C: 1,1,1 1000,1,1 1,300,1 1,1,300 7,11,13
//! size 4
//! groups A B C
//! inout uint seen = np.zeros(A * B * C) -> 4
//! inout uint sums = np.zeros(3) -> [4 * B * C * (A * (A - 1) // 2), 4 * A * C * (B * (B - 1) // 2), 4 * A * B * (C * (C - 1) // 2)]
void main() {
  uvec3 g = gl_WorkGroupID;
  atomicAdd(seen[(g.z * B + g.y) * A + g.x], 1);
  atomicAdd(sums[0], g.x);
  atomicAdd(sums[1], g.y);
  atomicAdd(sums[2], g.z);
}
