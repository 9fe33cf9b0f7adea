// Values of many types that only some branches set, used after the branches merge.
//! in int a = rand(np.int32, N, low=0, high=11)
//! let m = a % 4
//! out int i_ = np.choose(m, [a + 1, 50, 0 * a + 60, a])
//! out float f = np.choose(m, [a * 0.5, a * 1.0, 0 * a + 9, 0 * a - 1])
//! out vec2 v = np.stack([np.choose(m, [a, a, 3 + 0 * a, 3 + 0 * a]), np.choose(m, [a + 1, a, 4 + 0 * a, 4 + 0 * a])], 1)
void main() {
  int x = a[I];
  float y = -1;
  vec2 w = vec2(3, 4);
  bool early = false;
  int q = x;
  if (q % 4 < 2) {
    w = vec2(q, q);
    if (q % 4 == 0) {
      x = q + 1;
      y = q * 0.5;
      w.y += 1;
    } else {
      y = q;
      early = true;
    }
  } else if (q % 4 == 2) {
    x = 60;
    y = 9;
  }
  i_[I] = early ? 50 : x;
  f[I] = y;
  v[I] = w;
}
