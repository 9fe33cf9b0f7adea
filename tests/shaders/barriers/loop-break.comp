// A loop with barriers that ends when a value in workgroup memory says so.
//! size 64
//! in int a = rand(np.int32, N, low=1, high=50)
//! let g = a.reshape(2, 64)
//! out int r = [[next(i for i in range(1, 99) if i * int(row[0]) > 200)] * 64 for row in g]
shared int sum;
void main() {
  int rounds = 0;
  if (gl_LocalInvocationID.x == 0)
    sum = 0;
  while (true) {
    barrier();
    if (gl_LocalInvocationID.x == 0)
      sum += a[I];
    barrier();
    rounds++;
    if (sum > 200)
      break;
  }
  r[I] = rounds;
}
