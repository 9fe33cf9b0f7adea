// Atomics in branches and in loops that lanes leave at different times. Only the set of results is
// fixed.
//! in uint a = rand(np.uint32, N, low=0, high=5)
//! inout uint w = [0, 0, 0] -> [int((a % 2 == 1).sum()), int(a.sum()), 0xff]
//! inout uint seen = np.zeros(N) -> np.where(I < (a % 2 == 1).sum(), 1, 0)
void main() {
  if (a[I] % 2 == 1) {
    uint at = atomicAdd(w[0], 1);
    atomicAdd(seen[at], 1);
  }
  for (uint i = 0; i < a[I]; i++)
    atomicAdd(w[1], 1);
  atomicOr(w[2], 1u << (I % 8));
}
