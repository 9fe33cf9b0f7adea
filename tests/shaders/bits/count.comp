//! for T: int uint
//! in T a = edges(T, N)
//! let u = [int(x) & 0xffffffff for x in a]
//! let s = [x ^ 0xffffffff if x >> 31 and np.iinfo(T).min < 0 else x for x in u]
//! out int count = [bin(x).count('1') for x in u]
//! out int lsb = [(x & -x).bit_length() - 1 for x in u]
//! out int msb = [x.bit_length() - 1 for x in s]
//! out T reversed_ = wrap([int(f'{x:032b}'[::-1], 2) for x in u], T)
void main() {
  count[I] = bitCount(a[I]);
  lsb[I] = findLSB(a[I]);
  msb[I] = findMSB(a[I]);
  reversed_[I] = bitfieldReverse(a[I]);
}
