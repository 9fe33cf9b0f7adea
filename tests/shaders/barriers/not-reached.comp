// Branches with a barrier that a workgroup never executes, although its invocations diverge there.
//! for F: 1 2 5 32
//! subgroup 4 16
//! size 64
//! groups 4
//! in int a = rand(np.int32, N)
//! in uint flags = [0, F, 0xffff, F]
//! let l, f = np.arange(64), np.array([0, F, 0xffff, F])[:, None]
//! let g = a.reshape(4, 64)
//! let met = g[:, ::-1]
//! let n = l % 7
//! let odd = (l & f) != 0
//! out int r = np.where(f == 0, met, np.where(odd, g + 1, -g))
//! out int s = np.where(f == 0, met ^ 5, np.where(odd, np.where((l & f) == F, g ^ 8, g ^ 2), g ^ 5))
//! out int t = np.where(f == 0, 3 * met, np.where(odd, n * g, n * (g ^ 1)))
shared int kept[64];
int turned(int x) {
  kept[gl_LocalInvocationID.x] = x;
  barrier();
  x = kept[63u - gl_LocalInvocationID.x];
  barrier();
  return x;
}
void main() {
  uint l = gl_LocalInvocationID.x, flag = flags[gl_WorkGroupID.x];
  int x = a[I];
  if ((l & flag) != 0)
    x = x + 1;
  else if (flag == 0)
    x = turned(x);
  else
    x = -x;
  r[I] = x;

  x = a[I];
  switch (l & flag) {
  case 0:
    if (flag == 0)
      x = turned(x);
    x ^= 7; // falls through to the next case
  default:
    x ^= 2;
    break;
  case F:
    x ^= 8;
  }
  s[I] = x;

  int sum = 0;
  for (uint i = 0; i < (flag == 0 ? 3u : l % 7u); i++) {
    x = a[I];
    if ((l & flag) != 0) {
      sum += x;
      continue;
    } else {
      if (flag == 0)
        x = turned(x);
      else
        x ^= 1;
    }
    sum += x;
  }
  t[I] = sum;
}
