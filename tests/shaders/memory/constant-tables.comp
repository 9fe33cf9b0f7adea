// Constant arrays of numbers, vectors and arrays, indexed by the lane.
//! in uint a = rand(np.uint32, N, low=0, high=7)
//! out int r = np.array([3, 1, 4, 1, 5, 9, 2, 6])[a]
//! out vec2 v = np.array([[1, 2], [3, 4], [5, 6], [7, 8]])[a % 4]
//! out float f = np.array([[1.5, 2.5], [3.5, 4.5]])[a % 2, a // 4]
//! out uint8_t b = np.array([200, 100])[a % 2]
const int digits[8] = int[8](3, 1, 4, 1, 5, 9, 2, 6);
const vec2 points[4] = vec2[4](vec2(1, 2), vec2(3, 4), vec2(5, 6), vec2(7, 8));
const float table[2][2] = float[2][2](float[2](1.5, 2.5), float[2](3.5, 4.5));
void main() {
  r[I] = digits[a[I]];
  v[I] = points[a[I] % 4];
  f[I] = table[a[I] % 2][a[I] / 4];
  const uint8_t bytes[2] = uint8_t[2](uint8_t(200), uint8_t(100));
  b[I] = bytes[a[I] % 2];
}
