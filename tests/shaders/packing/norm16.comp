// Every 16-bit code is unpacked and packed again without a change.
//! size 256
//! groups 256
//! in uint a = np.arange(65536) * 65537
//! out uint u = a
//! out uint s = np.where(a == 0x80008000, 0x80018001, a)
void main() {
  u[I] = packUnorm2x16(unpackUnorm2x16(a[I]));
  s[I] = packSnorm2x16(unpackSnorm2x16(a[I]));
}
