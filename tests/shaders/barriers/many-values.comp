// Thirty values of each invocation live across barriers, uniform and strided ones among them.
//! size 64
//! in int a = rand(np.int32, N, low=-9, high=9)
//! let g = a.reshape(2, 64)
//! let l = np.arange(64)
//! out int r = sum((g * k + l * (k % 3)) * (k + 1) for k in range(10)) + np.roll(g, -1, 1) * 100 + 7 * np.arange(2)[:, None]
shared int kept[64];
void main() {
  int l = int(gl_LocalInvocationID.x), w = 7 * int(gl_WorkGroupID.x);
  int x0 = a[I] * 0, x1 = a[I] + l, x2 = a[I] * 2 + l * 2, x3 = a[I] * 3, x4 = a[I] * 4 + l;
  int x5 = a[I] * 5 + l * 2, x6 = a[I] * 6, x7 = a[I] * 7 + l, x8 = a[I] * 8 + l * 2, x9 = a[I] * 9;
  kept[l] = a[I];
  barrier();
  int next = kept[(l + 1) % 64];
  barrier();
  kept[l] = 0;
  barrier();
  r[I] = x0 + x1 * 2 + x2 * 3 + x3 * 4 + x4 * 5 + x5 * 6 + x6 * 7 + x7 * 8 + x8 * 9 + x9 * 10 +
         next * 100 + w + kept[l];
}
