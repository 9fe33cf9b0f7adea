// Addresses that increase with the lane, at many strides, backwards, and with an offset.
//! in int a = rand(np.int32, N * 4)
//! out int r = np.stack([a[2 * I], a[3 * I + 1], a[N - 1 - I], a[4 * I + 3], a[I + 5], a[(I ^ 1)], a[I // 2], a[I % 7]])
void main() {
  r[I] = a[2 * I];
  r[N + I] = a[3 * I + 1];
  r[2 * N + I] = a[N - 1 - I];
  r[3 * N + I] = a[4 * I + 3];
  r[4 * N + I] = a[I + 5];
  r[5 * N + I] = a[I ^ 1];
  r[6 * N + I] = a[I / 2];
  r[7 * N + I] = a[I % 7];
}
