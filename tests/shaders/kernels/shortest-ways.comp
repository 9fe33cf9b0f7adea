// Shortest paths by relaxation until nothing changes. A loop tests a flag in workgroup memory.
//! for S: 16 32 48
//! size S
//! groups 1
//! let rng = np.random.default_rng(3)
//! let w = rng.integers(1, 20, (S, S))
//! let d = [w.copy()]
//! let relax = [d.__setitem__(0, np.minimum(d[0], (d[0][:, :, None] + w[None]).min(1))) for _ in range(S)]
//! in int weights = w
//! out int r = np.minimum(d[0][0], np.where(np.arange(S) == 0, 0, 999))
shared int dist[S];
shared bool changed;
void main() {
  uint l = gl_LocalInvocationID.x;
  dist[l] = l == 0 ? 0 : 1000000;
  bool again;
  do {
    barrier(); // all invocations have read changed
    if (l == 0)
      changed = false;
    barrier();
    int best = dist[l];
    for (uint k = 0; k < S; k++)
      best = min(best, dist[k] + weights[k * S + l]);
    barrier();
    if (best < dist[l]) {
      dist[l] = best;
      changed = true;
    }
    barrier();
    again = changed;
  } while (again);
  r[l] = dist[l];
}
