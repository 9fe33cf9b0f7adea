// Loops over components, vectors carried by loops, and swizzles of results.
//! in vec4 a = rand(np.int32, N, 4, low=-9, high=9)
//! let turn = lambda v: np.roll(v, 1, 1)
//! out vec4 r = a + 2 * turn(a) + 3 * turn(turn(a))
//! out float s = a.sum(1) + a.max(1)
void main() {
  vec4 v = a[I], t = vec4(0);
  for (int i = 1; i <= 3; i++) {
    t += v * i;
    v = v.wxyz;
  }
  r[I] = t;
  float sum = 0, top = -100;
  for (int c = 0; c < 4; c++) {
    sum += a[I][c];
    top = max(top, a[I][c]);
  }
  s[I] = sum + top;
}
