// RoundingModeRTZ for one width does not affect others. A conversion rounds by the mode of its
// result type.
//! groups 4
//! in double a = rand(np.float64, N, low=-1000, high=1000)
//! in int n = rand(np.int32, N)
//! out float narrow = toward_zero(lambda x: x + 0, a, dtype=np.float32)
//! out float whole = toward_zero(lambda x: x + 0, n.astype(np.float64), dtype=np.float32)
//! out float third = toward_zero(lambda x, y: x / y, whole, np.full(N, 3, np.float32))
//! out double sum = a + 1 / 3
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4468], 4463, 32);
void main() {
  narrow[I] = float(a[I]);
  whole[I] = float(n[I]);
  third[I] = float(n[I]) / 3.0;
  sum[I] = a[I] + 0.333333333333333314829616256247lf;
}
