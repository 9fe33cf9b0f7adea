// A barrier in a do-while, whose condition comes from workgroup memory.
//! for S: 8 32 64
//! size S
//! groups 2
//! out int r = [5, 3] @ np.kron(np.eye(2, dtype=int), np.ones((1, S), int))
shared int left;
void main() {
  if (gl_LocalInvocationIndex == 0)
    left = gl_WorkGroupID.x == 0 ? 5 : 3;
  int n = 0;
  do {
    barrier();
    n++;
    if (gl_LocalInvocationIndex == S - 1)
      left--;
    barrier();
  } while (left > 0);
  r[I] = n;
}
