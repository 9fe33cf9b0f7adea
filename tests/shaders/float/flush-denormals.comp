// DenormFlushToZero flushes denormal operands and results. Values that are only copied keep them.
//! for T,W: float16_t,16 float,32 double,64
//! let tiny = np.finfo(T).tiny
//! in T a = np.where(I % 4 == 0, rand(T, N), rand(T, N) * tiny / 4).astype(T)
//! in T b = np.where(I % 3 == 0, rand(T, N, seed=1), rand(T, N, seed=1) * tiny).astype(T)
//! let x, y = flush(a), flush(b)
//! out T sum = flush(x + y)
//! out T product = flush(x * y)
//! out T half_of = flush(y * T(0.5))
//! out T least = flush(np.minimum(x, y))
//! out int equal = x == 0
//! out T copy = a
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4465], 4460, W);
void main() {
  sum[I] = a[I] + b[I];
  product[I] = a[I] * b[I];
  half_of[I] = b[I] * T(0.5);
  least[I] = min(a[I], b[I]);
  equal[I] = int(a[I] == T(0));
  copy[I] = a[I];
}
