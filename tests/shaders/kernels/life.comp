// One step of Conway's Game of Life on a torus, with bytes as input and output.
//! size 8 8
//! groups 4 2
//! in uint8_t a = rand(np.uint8, 32 * 16) & 1
//! let w = a.reshape(16, 32)
//! let n = sum(np.roll(w, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
//! out uint8_t r = (n == 3) | ((n == 2) & (w == 1))
void main() {
  ivec2 g = ivec2(gl_GlobalInvocationID.xy);
  int n = 0;
  for (int y = -1; y <= 1; y++)
    for (int x = -1; x <= 1; x++)
      if (x != 0 || y != 0)
        n += int(a[((g.y + y + 16) % 16) * 32 + (g.x + x + 32) % 32]);
  bool alive = a[g.y * 32 + g.x] != uint8_t(0);
  r[g.y * 32 + g.x] = uint8_t(n == 3 || (alive && n == 2) ? 1 : 0);
}
