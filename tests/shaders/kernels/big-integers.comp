// Sums and products of 128-bit numbers, computed word by word with carries.
//! in uvec4 a = rand(np.uint32, N, 4)
//! in uvec4 b = rand(np.uint32, N, 4, seed=1)
//! let whole = lambda v: [sum(int(w) << (32 * i) for i, w in enumerate(row)) for row in v.tolist()]
//! let parts = lambda xs: [[x >> (32 * i) & 0xffffffff for i in range(4)] for x in xs]
//! out uvec4 s = parts([x + y for x, y in zip(whole(a), whole(b))])
//! out uvec4 p = parts([x * y for x, y in zip(whole(a), whole(b))])
void main() {
  uint carry = 0;
  for (int i = 0; i < 4; i++) {
    uint c1, c2;
    uint t = uaddCarry(a[I][i], b[I][i], c1);
    s[I][i] = uaddCarry(t, carry, c2);
    carry = c1 + c2;
  }
  uvec4 w = uvec4(0);
  for (int i = 0; i < 4; i++) {
    uint up = 0;
    for (int j = 0; i + j < 4; j++) {
      uint high, low, c1, c2;
      umulExtended(a[I][i], b[I][j], high, low);
      low = uaddCarry(low, w[i + j], c1);
      low = uaddCarry(low, up, c2);
      w[i + j] = low;
      up = high + c1 + c2;
    }
  }
  p[I] = w;
}
