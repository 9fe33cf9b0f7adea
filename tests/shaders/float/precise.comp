// NoContraction: a product is rounded before the addition.
//! for T: float double
//! in T a = rand(T, N)
//! in T b = rand(T, N, seed=1)
//! in T c = -a * b
//! out T r = a * b + c
void main() {
  precise T x = a[I] * b[I];
  precise T y = x + c[I];
  r[I] = y;
}
