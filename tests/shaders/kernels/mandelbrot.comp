// The Mandelbrot set, whose loops differ widely in length.
//! size 16 4
//! groups 2 4
//! let cr, ci = (np.arange(32) - 22) / 16, (np.arange(16) - 8) / 8
//! let steps = lambda c: next((i for i, z in enumerate(__import__('itertools').accumulate(range(60), lambda z, _: z * z + c, initial=0j)) if abs(z) ** 2 > 4), 61)
//! out int r = [[steps(complex(x, y)) for x in cr] for y in ci]
void main() {
  uvec2 g = gl_GlobalInvocationID.xy;
  double x = (double(g.x) - 22) / 16, y = (double(g.y) - 8) / 8, u = 0, v = 0;
  int n = 0;
  while (n <= 60 && u * u + v * v <= 4) {
    double t = u * u - v * v + x;
    v = 2 * u * v + y;
    u = t;
    n++;
  }
  r[g.y * 32 + g.x] = n;
}
