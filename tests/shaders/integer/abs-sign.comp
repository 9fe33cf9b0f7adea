// The smallest integer has no positive counterpart: it stays.
//! for T: int8_t int16_t int int64_t
//! in T a = edges(T, N)
//! out T r = np.stack([np.where(a < 0, 0 - a, a), np.sign(a)])
// The sum makes glslang declare the type's capability.
void main() {
  r[I] = abs(a[I] + T(0));
  r[N + I] = sign(a[I]);
}
