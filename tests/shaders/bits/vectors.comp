// Bit operations on vectors, and bit fields at constant positions.
//! in uvec4 a = rand(np.uint32, N, 4)
//! out uvec4 r = np.stack([(a >> 4) & 0xff, (a & ~np.uint32(0xff00)) | ((a[:, ::-1] & 0xff) << 8), a ^ (a >> 16)])
//! out ivec4 count = [[bin(x).count('1') for x in row] for row in a.tolist()]
void main() {
  r[I] = bitfieldExtract(a[I], 4, 8);
  r[N + I] = bitfieldInsert(a[I], a[I].wzyx, 8, 8);
  r[2 * N + I] = a[I] ^ (a[I] >> 16);
  count[I] = bitCount(a[I]);
}
