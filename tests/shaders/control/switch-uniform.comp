// Selectors that are uniform by construction, or loaded from a buffer; and a default that is the
// merge block.
//! groups 6
//! raw int u @1.0 = [2]
//! out int r = np.stack([np.array([7, 1, 2, 0, 0, 7])[I // 32], 5 + 0 * I, np.where(I % 2 == 0, 3, 0)])
layout(set = 1, binding = 0) readonly buffer U { int u[]; };
void main() {
  int x = 0;
  switch (gl_WorkGroupID.x) {
  case 0:
  case 5: x = 7; break;
  case 1: x = 1; break;
  case 2: x = 2; break;
  }
  r[I] = x;
  switch (u[0]) {
  case 1: x = 4; break;
  case 2: x = 5; break;
  default: x = 6;
  }
  r[N + I] = x;
  x = 0;
  switch (I % 2) {
  case 0: x = 3;
  }
  r[2 * N + I] = x;
}
