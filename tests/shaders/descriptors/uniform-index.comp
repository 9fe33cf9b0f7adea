// An array of buffers, indexed by constants, by a uniform value and in a loop.
//! groups 1
//! raw int b0 @1.0.0 = I + 100
//! raw int b1 @1.0.1 = I + 200
//! raw int b2 @1.0.2 = I + 300 -> I * 2
//! in uint which = [1]
//! out int r = np.stack([I + 100, I + 200, 3 * I + 600])
layout(set = 1, binding = 0) buffer B { int x[]; } b[3];
void main() {
  r[I] = b[0].x[I];
  r[N + I] = b[which[0]].x[I];
  int s = 0;
  for (uint i = 0; i < 3; i++)
    s += b[i].x[I];
  r[2 * N + I] = s;
  b[2].x[I] = int(I) * 2;
}
