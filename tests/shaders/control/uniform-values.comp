// Conditions and bounds from a uniform buffer, which are the same for all lanes.
//! raw int u @0.0 = [7, 3, 1]
//! out int r = np.where(I % 3 == 0, 21 + I, 3)
layout(set = 0, binding = 0) readonly buffer U { int u[]; };
void main() {
  int s = 0;
  if (u[2] == 1)
    for (int i = 0; i < u[0]; i++) {
      if (i == u[1] && I % 3 != 0)
        break;
      s += i;
    }
  else
    s = -5;
  r[I] = I % 3 == 0 ? s + int(I) : s;
}
