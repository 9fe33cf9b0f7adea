// Scalar layout, in which each member has only the alignment of its components.
//! groups 1
//! let bytes_ = np.arange(N * 28).astype(np.uint8)
//! let one = bytes_.reshape(N, 28)
//! raw uint8_t m @0.0 = bytes_
//! let word = lambda o: one[:, o:o + 4].copy().view(np.uint32).ravel()
//! out uint r = np.stack([word(0), word(4), word(8), word(12), word(16), one[:, 20], one[:, 21], one[:, 22] + 256 * one[:, 23].astype(np.uint32), word(24)])
struct Item { uvec3 v; uvec2 w; uint8_t a, b; uint16_t c; uint d; };
layout(scalar, set = 0, binding = 0) buffer Block { Item items[]; };
void main() {
  Item x = items[I];
  r[I] = x.v.x;
  r[N + I] = x.v.y;
  r[2 * N + I] = x.v.z;
  r[3 * N + I] = x.w.x;
  r[4 * N + I] = x.w.y;
  r[5 * N + I] = x.a;
  r[6 * N + I] = x.b;
  r[7 * N + I] = x.c;
  r[8 * N + I] = x.d;
}
