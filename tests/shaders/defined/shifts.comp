// Shift amounts are taken modulo the width.
//! only cpu
//! for T,W: int,32 uint,32 int64_t,64 uint8_t,8 int16_t,16
//! in T a = edges(T, N)
//! in int s = np.concatenate([[W, W + 1, 2 * W, -1, -W, 255], rand(np.int32, N - 6)])
//! out T r = np.stack([[int(x) << (int(k) % W) for x, k in zip(a, s)], [int(x) >> (int(k) % W) for x, k in zip(a, s)]])
void main() {
  r[I] = a[I] << s[I];
  r[N + I] = a[I] >> s[I];
}
