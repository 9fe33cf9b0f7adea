// Checks the signs of zeros by their bits.
//! in float a = np.where(I % 2, -0.0, 0.0)
//! out uint r = np.stack([(-a).view(np.uint32), np.abs(a).view(np.uint32), a.view(np.uint32) ^ 0])
void main() {
  r[I] = floatBitsToUint(-a[I]);
  r[N + I] = floatBitsToUint(abs(a[I]));
  r[2 * N + I] = floatBitsToUint(a[I]);
}
