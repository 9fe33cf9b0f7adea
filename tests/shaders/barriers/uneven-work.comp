// Between barriers, some invocations do much work and others none. Loops differ in length.
//! size 48
//! in int a = rand(np.int32, N, low=0, high=30)
//! let g = a.reshape(2, 48)
//! out int r = np.roll(g * (g - 1) // 2, -1, 1) + np.where(g > 15, g, 0)
shared int kept[48];
void main() {
  uint l = gl_LocalInvocationID.x;
  int s = 0;
  for (int i = 0; i < a[I]; i++)
    s += i;
  kept[l] = s;
  int extra = 0;
  if (a[I] > 15)
    for (int i = 0; i < a[I]; i++)
      extra++;
  barrier();
  r[I] = kept[(l + 1) % 48] + extra;
}
