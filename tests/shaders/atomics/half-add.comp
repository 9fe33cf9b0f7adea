// Atomic additions of f16 values whose sums are exact.
//! in float16_t a = rand(np.int32, N, low=-9, high=9)
//! inout float16_t sum = np.zeros(1) -> [a.sum()]
void main() { atomicAdd(sum[0], a[I]); }
