// Shifts by varying and by constant amounts below the width.
//! for T,W: int8_t,8 uint8_t,8 int16_t,16 uint16_t,16 int,32 uint,32 int64_t,64 uint64_t,64
//! in T a = edges(T, N)
//! in T s = I % W
//! out T r = np.stack([a << s, a >> s, a << T(3), a >> T(W - 1), T(1) << s])
void main() {
  r[I] = a[I] << s[I];
  r[N + I] = a[I] >> s[I];
  r[2 * N + I] = a[I] << 3;
  r[3 * N + I] = a[I] >> (W - 1);
  r[4 * N + I] = T(1) << s[I];
}
