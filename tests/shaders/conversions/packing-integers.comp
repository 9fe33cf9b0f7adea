// pack32, unpack8 and similar functions.
//! in uint64_t a = rand(np.uint64, N)
//! out uvec2 two = a.view(np.uint32)
//! out u16vec4 four = a.view(np.uint16)
//! out u8vec4 eight = a.view(np.uint32)[::2].copy().view(np.uint8)
//! out uint64_t again = (a >> 32) | (a << 32)
//! out uint joined = ((a >> 16) & 0xffff) | ((a & 0xffff) << 16)
void main() {
  two[I] = unpack32(a[I]);
  four[I] = unpack16(a[I]);
  eight[I] = unpack8(uint(a[I] & 0xfffffffful));
  again[I] = pack64(unpack32(a[I]).yx);
  joined[I] = pack32(unpack16(a[I]).yx);
}
