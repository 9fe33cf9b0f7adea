// A hash by rotations, multiplications and exclusive ors.
//! in uint a = rand(np.uint32, N)
//! let rot = lambda x, r: ((x << r) | (x >> (32 - r))) & 0xffffffff
//! let mix = lambda h, k: (rot(h ^ (rot(k * 0xcc9e2d51 & 0xffffffff, 15) * 0x1b873593 & 0xffffffff), 13) * 5 + 0xe6546b64) & 0xffffffff
//! let end = lambda h: (lambda h: (lambda h: h ^ (h >> 16))((h ^ (h >> 13)) * 0xc2b2ae35 & 0xffffffff))((h ^ (h >> 16)) * 0x85ebca6b & 0xffffffff)
//! out uint r = [end(mix(mix(7, x), i)) for i, x in enumerate(a.tolist())]
uint rot(uint x, int r) { return (x << r) | (x >> (32 - r)); }
uint mixIn(uint h, uint k) {
  k = rot(k * 0xcc9e2d51u, 15) * 0x1b873593u;
  return rot(h ^ k, 13) * 5 + 0xe6546b64u;
}
void main() {
  uint h = mixIn(mixIn(7, a[I]), I);
  h = (h ^ (h >> 16)) * 0x85ebca6bu;
  h = (h ^ (h >> 13)) * 0xc2b2ae35u;
  r[I] = h ^ (h >> 16);
}
