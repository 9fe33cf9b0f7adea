// 64-bit indices and sums beyond 32 bits.
//! in int a = rand(np.int32, N)
//! out int64_t r = [int(x) * (1 << 33) - (5 << 40) for x in a]
//! out int picked = a[(I * 7) % N]
void main() {
  int64_t wide = int64_t(a[I]) << 33;
  r[I] = wide - (5l << 40);
  int64_t index = (int64_t(I) * 7l) % int64_t(N);
  picked[uint(int64_t(I))] = a[uint(index)];
}
