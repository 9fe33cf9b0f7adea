// Both parts of modf have the sign of the argument.
//! for T: float double
//! in T a = np.concatenate([[0, 1, -1, 2.5, -2.5, 1e9, -0.25, 0.75], rand(T, N - 8, low=-1e3, high=1e3)])
//! out T whole = np.trunc(a)
//! out T part = a - np.trunc(a)
void main() {
  T w;
  part[I] = modf(a[I], w);
  whole[I] = w;
}
