// In each iteration, one invocation writes scalars to workgroup memory, and all invocations read
// them.
//! for S: 1 4 16 32 50
//! size S
//! groups 3
//! out int r = np.repeat(np.arange(3) * 100, S) + 30
shared int x;
void main() {
  int s = 0;
  x = 0;
  barrier();
  for (int i = 0; i < 3; i++) {
    if (gl_LocalInvocationIndex == 0)
      x = int(gl_WorkGroupID.x) * 100 + i * 10;
    barrier();
    s = max(s, x + 10);
    barrier();
  }
  r[I] = s;
}
