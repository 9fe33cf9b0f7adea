// Three-dimensional workgroups in which each invocation reads the value of a distant one.
//! size 3 4 5
//! groups 2
//! in int a = rand(np.int32, N)
//! out int r = a.reshape(2, 60)[:, ::-1]
shared int kept[5][4][3];
void main() {
  uvec3 l = gl_LocalInvocationID;
  uint at = gl_WorkGroupID.x * 60 + gl_LocalInvocationIndex;
  kept[l.z][l.y][l.x] = a[at];
  barrier();
  r[at] = kept[4 - l.z][3 - l.y][2 - l.x];
}
