// Scalar variables that were never assigned are zero.
//! only cpu
//! out int r = np.where(I % 2, 5, 0)
void main() {
  int x;
  if (I % 2 == 1)
    x = 5;
  r[I] = x;
}
