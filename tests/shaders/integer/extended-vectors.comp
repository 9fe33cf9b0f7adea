// Carries, borrows and double-width products of vectors of two.
//! in uvec2 a = edges(np.uint32, 2 * N)
//! in uvec2 b = edges(np.uint32, 2 * N, seed=4)[::-1]
//! let wa, wb = a.astype(object), b.astype(object)
//! out uvec2 r = np.stack([wa + wb, (wa + wb) >> 32, wa - wb, (a < b).astype(object), wa * wb, (wa * wb) >> 32])
void main() {
  uvec2 c, h, l, br;
  r[I] = uaddCarry(a[I], b[I], c);
  r[N + I] = c;
  r[2 * N + I] = usubBorrow(a[I], b[I], br);
  r[3 * N + I] = br;
  umulExtended(a[I], b[I], h, l);
  r[4 * N + I] = l;
  r[5 * N + I] = h;
}
