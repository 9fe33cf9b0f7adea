// A tree reduction with a barrier in a loop whose bound is uniform.
//! for S: 32 64 256 1024
//! size S
//! in int a = rand(np.int32, N)
//! out int sums = [wrap(int(row.astype(object).sum()), np.int32) for row in a.reshape(2, S)]
shared int kept[S];
void main() {
  uint l = gl_LocalInvocationID.x;
  kept[l] = a[I];
  for (uint step = S / 2; step > 0; step /= 2) {
    barrier();
    if (l < step)
      kept[l] += kept[l + step];
  }
  barrier();
  if (l == 0)
    sums[gl_WorkGroupID.x] = kept[0];
}
