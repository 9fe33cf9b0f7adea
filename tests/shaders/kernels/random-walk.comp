// A random walk steered by a generator with 64 bits of state.
//! in uint a = rand(np.uint32, N)
//! let step = lambda s: (s * 6364136223846793005 + 1442695040888963407) & (2 ** 64 - 1)
//! let states = lambda s: [s := step(s) for _ in range(30)]
//! out int r = [sum((1, -1, 10, -10)[s >> 62] for s in states(x)) for x in a.tolist()]
void main() {
  uint64_t s = a[I];
  int at = 0;
  for (int i = 0; i < 30; i++) {
    s = s * 6364136223846793005ul + 1442695040888963407ul;
    switch (uint(s >> 62)) {
    case 0: at += 1; break;
    case 1: at -= 1; break;
    case 2: at += 10; break;
    default: at -= 10;
    }
  }
  r[I] = at;
}
