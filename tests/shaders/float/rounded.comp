// Sums and products are correctly rounded, quotients within 2.5 ulps.
//! for T: float16_t float double
//! in T a = rand(T, N)
//! in T b = rand(T, N, seed=2, low=0.1, high=9)
//! out T sum = a + b
//! out T product = a * b
//! out T quotient ~ulps:2.5 = a / b
void main() {
  sum[I] = a[I] + b[I];
  product[I] = a[I] * b[I];
  quotient[I] = a[I] / b[I];
}
