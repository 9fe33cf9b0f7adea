// Divergent branches compute values, which a reduction over all lanes combines.
//! subgroup 4 8 16
//! size 32
//! in int a = rand(np.int32, N, low=0, high=99)
//! let x = np.where(a % 3 == 0, a * 2, np.where(a % 3 == 1, -a, 5))
//! out int r = np.repeat(x.reshape(-1, SG).sum(1), SG)
void main() {
  int x;
  if (a[I] % 3 == 0)
    x = a[I] * 2;
  else if (a[I] % 3 == 1)
    x = -a[I];
  else
    x = 5;
  r[I] = subgroupAdd(x);
}
