// Values of many types live across barriers.
//! size 96
//! in int a = rand(np.int32, N)
//! let g = a.reshape(2, 96)
//! let s = np.roll(g, -1, 1)
//! out int r = g + s + (g % 7 != 0)
//! out float f = (g & 0xffff) * 0.5 + (s & 0xff)
//! out double d = g * 0.25
shared int kept[96];
void main() {
  uint l = gl_LocalInvocationID.x;
  int mine = a[I];
  bool odd = mine % 7 != 0;
  float half_ = float(mine & 0xffff) * 0.5;
  double quarter = double(mine) * 0.25;
  int table[4] = int[4](mine, 1, 2, 3);
  kept[l] = mine;
  barrier();
  int next = kept[(l + 1) % 96];
  barrier();
  kept[l] = -1;
  barrier();
  r[I] = table[l & 0] + next + int(odd);
  f[I] = half_ + float(next & 0xff);
  d[I] = quarter;
}
