// An insertion sort in a private array, with varying indices.
//! in int a = rand(np.int32, N * 8, low=-99, high=99)
//! out int r = np.sort(a.reshape(-1, 8), axis=1)
void main() {
  int list[8];
  for (int i = 0; i < 8; i++) {
    int x = a[I * 8 + i], j = i;
    while (j > 0 && list[j - 1] > x) {
      list[j] = list[j - 1];
      j--;
    }
    list[j] = x;
  }
  for (int i = 0; i < 8; i++)
    r[I * 8 + i] = list[i];
}
