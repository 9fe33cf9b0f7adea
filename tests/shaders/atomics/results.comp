// Atomics return the previous value. The sum of all tickets is known.
//! for T: int uint int64_t uint64_t
//! inout T next = np.array([5]) -> [5 + N]
//! inout uint seen = np.zeros(N) -> 1
//! inout T first = np.arange(1000, 1000 + N) -> I
//! out T before = 1000 + I
void main() {
  T ticket = atomicAdd(next[0], T(1));
  atomicAdd(seen[uint(ticket) - 5u], 1u);
  before[I] = atomicExchange(first[I], T(I));
}
