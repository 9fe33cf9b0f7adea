// fma with one rounding, if requested.
//! for T: float double
//! in T a = rand(np.int32, N, low=-99, high=99) * 0.5
//! in T b = rand(np.int32, N, low=-99, high=99)
//! in T c = rand(np.int32, N, low=-99, high=99) * 0.25
//! out T r = a * b + c
void main() { r[I] = fma(a[I], b[I], c[I]); }
