//! in uvec2 a = rand(np.uint32, N, 2) & np.array([0xffffffff, 0x7fefffff], np.uint32)
//! out double d = a.view(np.float64)
//! out uvec2 again = a
void main() {
  d[I] = packDouble2x32(a[I]);
  again[I] = unpackDouble2x32(d[I]);
}
