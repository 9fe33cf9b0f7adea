// An inclusive scan in workgroup memory that doubles the distance in each step.
//! for S: 16 32 100 256 1024
//! size S
//! in int a = rand(np.int32, N, low=-99, high=99)
//! out int r = np.cumsum(a.reshape(2, S), 1)
shared int kept[2][S];
void main() {
  uint l = gl_LocalInvocationID.x, from = 0;
  kept[0][l] = a[I];
  barrier();
  for (uint d = 1; d < S; d *= 2) {
    kept[1 - from][l] = kept[from][l] + (l >= d ? kept[from][l - d] : 0);
    from = 1 - from;
    barrier();
  }
  r[I] = kept[from][l];
}
