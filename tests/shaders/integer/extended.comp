// Carries, borrows, and double-width products.
//! let x, y = pairs(np.uint32, N)
//! in uint a = x
//! in uint b = y
//! let wa, wb = a.astype(object), b.astype(object)
//! let sa, sb = a.view(np.int32).astype(object), b.view(np.int32).astype(object)
//! out uint sum = a + b
//! out uint carry = (wa + wb) >> 32
//! out uint difference = a - b
//! out uint borrow = a < b
//! out uint low = wa * wb
//! out uint high = (wa * wb) >> 32
//! out int slow = sa * sb
//! out int shigh = (sa * sb) >> 32
void main() {
  uint c, h, l, br;
  sum[I] = uaddCarry(a[I], b[I], c);
  carry[I] = c;
  difference[I] = usubBorrow(a[I], b[I], br);
  borrow[I] = br;
  umulExtended(a[I], b[I], h, l);
  low[I] = l;
  high[I] = h;
  int sh, sl;
  imulExtended(int(a[I]), int(b[I]), sh, sl);
  slow[I] = sl;
  shigh[I] = sh;
}
