// Each invocation waits until its number comes up, and then replaces it with the next number.
//! for T: int uint int64_t uint64_t
//! inout T ticket = np.array([0]) -> [N]
//! inout T claimed = np.full(N, 7) -> np.where(I % 2, 7, I)
//! out T was = np.where(I % 2, 7, 7)
void main() {
  T old, seen = ticket[0];
  do {
    old = seen;
    seen = atomicCompSwap(ticket[0], old, old + T(1));
  } while (seen != old);
  was[I] = atomicCompSwap(claimed[I], T(I % 2u == 0u ? 7 : 8), T(I));
}
