// Atomics in workgroup memory, whose results are then stored to buffers.
//! for T: int uint int64_t uint64_t
//! size 64
//! in T a = rand(T, N)
//! let g = a.reshape(2, 64)
//! out T sums = [int(row.astype(object).sum()) for row in g]
//! out T lows = g.min(1)
//! out T highs = g.max(1)
//! out T flips = np.bitwise_xor.reduce(g, 1)
shared T sum, low, high, flip;
void main() {
  uint group = gl_WorkGroupID.x;
  if (gl_LocalInvocationIndex == 0) { sum = T(0); low = a[I]; high = a[I]; flip = T(0); }
  barrier();
  atomicAdd(sum, a[I]);
  atomicMin(low, a[I]);
  atomicMax(high, a[I]);
  atomicXor(flip, a[I]);
  barrier();
  if (gl_LocalInvocationIndex == 63) {
    sums[group] = sum; lows[group] = low; highs[group] = high; flips[group] = flip;
  }
}
