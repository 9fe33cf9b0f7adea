// Loads and stores by some lanes only: contiguous, strided and scattered, of each width.
//! for T: uint8_t int16_t int int64_t float16_t float double
//! in T a = rand(np.int32, 2 * N, low=0, high=100)
//! inout T r = np.full(N, 7) -> np.where(a[:N] > 50, a[:N], 7)
//! inout T s = np.full(2 * N, 7) -> [a[j] if j % 2 == 0 and a[j // 2] > 50 else 7 for j in range(2 * N)]
//! inout T t = np.full(N, 7) -> [a[(j * 13) % N + N] if a[(j * 13) % N] > 50 else 7 for j in range(N)]
void main() {
  if (a[I] > T(50)) {
    r[I] = a[I];
    s[2 * I] = a[2 * I];
    // 13 * 5 = 65 = 1 modulo 64
    t[(I * 5) % N] = a[I + N];
  }
}
