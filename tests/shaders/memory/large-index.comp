// A buffer of 64 KiB that many workgroups access at both ends.
//! size 128
//! groups 128
//! out int r = N - 1 - I
//! inout uint8_t b = np.zeros(N) -> I % 251
void main() {
  r[N - 1 - I] = int(I);
  b[I] = uint8_t(I % 251);
}
