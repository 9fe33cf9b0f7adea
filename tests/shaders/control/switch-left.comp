// In some subgroups every invocation leaves the loop in a uniform case, so none falls through to
// the next.
//! groups 4
//! in int a = np.where(I // 32 % 2 == 0, -1, I % 3)
//! raw int u @1.0 = [0]
//! inout int sums = np.zeros(4, np.int32) -> [0, 0, np.sum(a == 1), 0]
//! out int r = np.where(a < 0, 5, np.where(a == 2, 5, 9))
layout(set = 1, binding = 0) readonly buffer U { int u[]; };
void main() {
  r[I] = 5;
  for (int i = u[0]; i < 3; i++) {
    switch (i) {
    case 0:
      if (a[I] < 0 || a[I] == 2)
        return;
      r[I] = 7;
      break;
    case 1:
      atomicAdd(sums[a[I] + 1], a[I]);
      break;
    case 2:
      r[I] = 9;
      break;
    }
  }
}
