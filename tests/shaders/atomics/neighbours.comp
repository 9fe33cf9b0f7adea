// Atomics on a word per lane, on words that two lanes share, and on words far apart.
//! in uint a = rand(np.uint32, N, low=0, high=99)
//! inout uint x = I -> I + a
//! inout uint y = np.zeros(N // 2) -> a.reshape(-1, 2).sum(1)
//! inout uint z = np.zeros(8) -> [a[k::8].sum() for k in range(8)]
void main() {
  atomicAdd(x[I], a[I]);
  atomicAdd(y[I / 2], a[I]);
  atomicAdd(z[I % 8], a[I]);
}
