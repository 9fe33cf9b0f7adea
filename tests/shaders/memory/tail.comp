// Fewer elements than invocations: the last ones do nothing, in one and two dimensions.
//! for L: 1 15 17 33 63
//! in int a = rand(np.int32, L)
//! inout int r = np.full(L, 5) -> a * 2
//! inout int q = np.full(L * 2, 5) -> np.concatenate([a, a + 1])
void main() {
  if (I >= L)
    return;
  r[I] = a[I] * 2;
  for (uint y = 0; y < 2; y++)
    q[y * L + I] = a[I] + int(y);
}
