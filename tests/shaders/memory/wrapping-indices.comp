// Index arithmetic that wraps in 8, 16 and 32 bits.
//! size 64
//! groups 5
//! in int a = np.arange(1000)
//! let u = I.astype(np.uint32)
//! out int r = np.stack([(I * 7) & 255, (u - 5) & 255, ((u << 28) >> 26) & 0xff, (I * 300) & 0xffff & 511, 999 - I, (u * 0x40000001) & 511, (255 - I) & 0xff])
void main() {
  r[I] = a[uint(uint8_t(I * 7))];
  r[N + I] = a[(I - 5u) & 255u];
  r[2 * N + I] = a[(I << 28) >> 26];
  r[3 * N + I] = a[uint(uint16_t(I * 300)) & 511];
  r[4 * N + I] = a[999 - int(I)];
  r[5 * N + I] = a[(I * 0x40000001u) & 511];
  r[6 * N + I] = a[uint(uint8_t(255 - I))];
}
