// The lowest and highest set bit of each power of two, of its neighbours, of 0, and of -1.
//! size 128
//! groups 1
//! let p = (np.uint64(1) << (I.astype(np.uint64) % 32))
//! in uint u = np.where(I < 32, p, np.where(I < 64, p - 1, np.where(I < 96, ~p, 0 - p))).astype(np.uint32)
//! in int s = u.view(np.int32)
//! let highest = lambda v: np.array([int(x).bit_length() - 1 for x in v])
//! out int low = np.array([(int(x) & -int(x)).bit_length() - 1 for x in u])
//! out int high = highest(u)
//! out int top = highest(np.where(s < 0, ~s, s))
//! out ivec4 several = np.stack([highest(u), highest(u[::-1]), highest(u), highest(u[::-1])], 1)
void main() {
  low[I] = findLSB(u[I]);
  high[I] = findMSB(u[I]);
  top[I] = findMSB(s[I]);
  several[I] = findMSB(uvec4(u[I], u[N - 1 - I], u[I], u[N - 1 - I]));
}
