// A spin lock around a counter in a buffer, which one lane at a time takes.
//! size 1
//! groups 40
//! inout uint state = np.zeros(2) -> [0, 40]
void main() {
  while (atomicCompSwap(state[0], 0u, 1u) != 0u)
    ;
  memoryBarrierBuffer();
  state[1] = state[1] + 1;
  memoryBarrierBuffer();
  atomicExchange(state[0], 0u);
}
