// Workgroups of 1 to 1024 invocations along each axis. Each workgroup computes a sum.
//! for X,Y,Z: 1,1,1 2,1,1 7,1,1 16,1,1 31,1,1 33,1,1 255,1,1 1024,1,1 1,1024,1 1,1,64 32,32,1 10,10,10
//! size X Y Z
//! groups 3
//! let S = X * Y * Z
//! out uint r = np.array([S * (S - 1) // 2 + g for g in range(3) for _ in range(S)])
shared uint sum;
void main() {
  if (gl_LocalInvocationIndex == 0)
    sum = gl_WorkGroupID.x;
  barrier();
  atomicAdd(sum, gl_LocalInvocationIndex);
  barrier();
  r[gl_WorkGroupID.x * (X * Y * Z) + gl_LocalInvocationIndex] = sum;
}
