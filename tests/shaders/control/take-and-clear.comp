// A value is loaded and its memory overwritten. The loaded value stays, also after lanes have
// diverged.
//! for T: int uint float
//! subgroup 4 8 16
//! in uint a = rand(np.uint32, N) % 10
//! let before = np.arange(N) + 100
//! inout T e = before -> np.where(a > 5, 0, before)
//! out T r = np.where(a > 5, before, 7)
void main() {
  T last = T(7);
  if (a[I] > 5u) {
    last = e[I];
    e[I] = T(0);
  }
  r[I] = last;
}
