// RoundingModeRTZ truncates sums and products, for each width.
//! for T,W: float16_t,16 float,32 double,64
//! size 64
//! groups 8
//! let scale = 2.0 ** (np.arange(N) % 60 - 30 if W != 16 else np.arange(N) % 24 - 12)
//! let small = np.finfo(T).tiny * rand(np.float64, N, low=-4, high=4)
//! in T a = np.concatenate([pairs(T)[0], rand(T, N - 64)])
//! in T b = np.where(I % 5 == 4, small, np.concatenate([pairs(T)[1], rand(T, N - 64)]) * scale).astype(T)
//! out T sum = toward_zero(lambda x, y: x + y, a, b)
//! out T difference = toward_zero(lambda x, y: x - y, a, b)
//! out T product = toward_zero(lambda x, y: x * y, a, b)
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4468], 4463, W);
void main() {
  sum[I] = a[I] + b[I];
  difference[I] = a[I] - b[I];
  product[I] = a[I] * b[I];
}
