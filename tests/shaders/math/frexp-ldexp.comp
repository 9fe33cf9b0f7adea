// Significands are in [0.5, 1), zero has exponent zero, and ldexp reaches the smallest numbers.
//! for T: float double
//! in T a = np.concatenate([[0, 1, -1, 0.5, 0.75, 1024, -3e-5, 65504], rand(T, N - 8, low=-1e6, high=1e6)])
//! let m, e = np.frexp(a)
//! out T significand = m
//! out int exponent = e
//! out T again = a
//! out T scaled = np.ldexp(a, I - 20)
void main() {
  int e;
  T m = frexp(a[I], e);
  significand[I] = m;
  exponent[I] = e;
  again[I] = ldexp(m, e);
  scaled[I] = ldexp(a[I], int(I) - 20);
}
