// Loads by quotients, which most subgroups share: of all lanes, of some lanes, of none, and of a lane that is inactive.
// Quotients are also signed, negative, by a variable, and within a remainder.
//! subgroup 4 8 16 32
//! size 64
//! in uint a = rand(np.uint32, 512)
//! in float f = rand(np.float32, 512)
//! in uint16_t h = rand(np.uint16, 512)
//! in uint n = [37, 5]
//! let i = I.astype(np.int64)
//! out uint large = a[(i + 7) // 100]
//! out uint shifted = a[i >> 5]
//! out float by_variable = f[i // 37]
//! out uint small = a[i // 5]
//! out uint16_t rows = h[i // 64 % 3 * 16 + i // 64]
//! out float remainder = f[(i // 40) % 7]
//! out uint negative = a[100 + np.trunc((i - 33) / 48).astype(np.int64)]
//! out uint masked = np.where(i % 4 != 0, a[(i + 9) // 41], 0)
//! out uint one_lane = np.where(i % 64 == 13, a[i // 50], 0)
//! out uint none = np.where(i < 5, a[i // 33], 1)
void main() {
  uint i = I, by = n[0], few = n[1];
  large[I] = a[(i + 7u) / 100u];
  shifted[I] = a[i >> 5];
  by_variable[I] = f[i / by];
  small[I] = a[i / few];
  rows[I] = h[i / 64u % 3u * 16u + i / 64u];
  remainder[I] = f[(i / 40u) % 7u];
  negative[I] = a[100 + (int(i) - 33) / 48];
  uint value = 0u;
  if (i % 4u != 0u)
    value = a[(i + 9u) / 41u];
  masked[I] = value;
  value = 0u;
  if (i % 64u == 13u)
    value = a[i / 50u];
  one_lane[I] = value;
  value = 1u;
  if (i < 5u)
    value = a[i / 33u];
  none[I] = value;
}
