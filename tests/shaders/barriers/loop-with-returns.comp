// The whole workgroup returns from a function, out of a loop with a barrier.
//! for S: 16 64
//! size S
//! groups 4
//! in int a = rand(np.int32, N, low=1, high=9)
//! let g = a.reshape(4, S)
//! let run = lambda row: next(((t + 1) * 1000 + sum(int(x) for x in row) * (t + 1) for t in range(9) if (t + 1) * sum(int(x) for x in row) > 4 * S * (1 + t // 2) + 100 or t == 8))
//! out int r = [[run(row)] * S for row in g]
shared int sum;
int rounds() {
  for (int t = 0; t < 9; t++) {
    atomicAdd(sum, a[I]);
    barrier();
    int now = sum;
    barrier();
    if (now > 4 * S * (1 + t / 2) + 100)
      return (t + 1) * 1000 + now;
  }
  return 9000 + sum;
}
void main() {
  if (gl_LocalInvocationIndex == 0)
    sum = 0;
  barrier();
  r[I] = rounds();
}
