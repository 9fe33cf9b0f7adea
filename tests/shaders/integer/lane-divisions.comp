// Invocation numbers divided by powers of two and other numbers. Rows end within a subgroup.
//! for X,Y: 16,1 24,1 10,2 100,1 32,1 7,3 64,2
//! size X Y
//! groups 3
//! let S = X * Y
//! let l = np.tile(np.arange(S), 3)
//! let g = np.repeat(np.arange(3), S) * X + l % X
//! out uint r = np.stack([g // 16, g % 16, (g + 8) // 16, (l + 3) // 8, l // 4, l % 4, (l * 2) // 16, l >> 4, l & 15, (g * 3) // 32])
void main() {
  uint l = gl_LocalInvocationIndex, g = gl_GlobalInvocationID.x, n = 3 * X * Y;
  uint at = gl_WorkGroupID.x * (X * Y) + l;
  r[at] = g / 16;
  r[n + at] = g % 16;
  r[2 * n + at] = (g + 8) / 16;
  r[3 * n + at] = (l + 3) / 8;
  r[4 * n + at] = l / 4;
  r[5 * n + at] = l % 4;
  r[6 * n + at] = (l * 2) / 16;
  r[7 * n + at] = l >> 4;
  r[8 * n + at] = l & 15;
  r[9 * n + at] = (g * 3) / 32;
}
