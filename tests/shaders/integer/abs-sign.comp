// The absolute value of the smallest integer is the smallest integer itself.
//! for T: int8_t int16_t int int64_t
//! in T a = edges(T, N)
//! out T r = np.stack([np.where(a < 0, 0 - a, a), np.sign(a)])
// The addition makes glslang declare the type's capability.
void main() {
  r[I] = abs(a[I] + T(0));
  r[N + I] = sign(a[I]);
}
