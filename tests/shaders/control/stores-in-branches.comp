// Memory written in one branch is read after the merge, by the same lane and by others.
//! in int a = rand(np.int32, N, low=0, high=9)
//! inout int b = I -> np.where(a > 4, 100 + I, np.where(a < 2, -I, I))
//! out int r = np.where(a > 4, 100 + I, np.where(a < 2, -I, I)) * 2
void main() {
  if (a[I] > 4)
    b[I] = 100 + int(I);
  else if (a[I] < 2)
    b[I] = -b[I];
  r[I] = b[I] * 2;
}
