// Each lane accesses another buffer: loads, stores and atomics. Lengths use a uniform index.
//! groups 1
//! raw int b0 @1.0.0 = I + 100 -> np.where(I % 4 == 0, -1, I + 100)
//! raw int b1 @1.0.1 = I + 200 -> np.where(I % 4 == 1, -1, I + 200)
//! raw int b2 @1.0.2 = I + 300 -> np.where(I % 4 == 2, -1, I + 300)
//! raw int b3 @1.0.3 = np.concatenate([I + 400, [5]]) -> np.concatenate([np.where(I % 4 == 3, -1, I + 400), [13]])
//! out int r = I + 100 * (I % 4 + 1)
//! in uint which = [3]
//! out uint n = 33 + 32
layout(set = 1, binding = 0) buffer B { int x[]; } b[4];
void main() {
  uint k = I % 4;
  r[I] = b[nonuniformEXT(k)].x[I];
  b[nonuniformEXT(k)].x[I] = -1;
  n[I] = b[which[0]].x.length() + b[which[0] - 1].x.length();
  if (k == 3)
    atomicAdd(b[nonuniformEXT(k)].x[32], 1);
}
