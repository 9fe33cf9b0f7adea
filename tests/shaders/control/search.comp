// Binary search and gcd: loops in which branches change every value.
//! in uint a = np.sort(rand(np.uint32, 100, low=0, high=1000))
//! in uint b = rand(np.uint32, N, low=0, high=1000, seed=1)
//! in uint c = rand(np.uint32, N, low=1, high=1000, seed=2)
//! out uint r = np.searchsorted(a, b)
//! out uint g = np.gcd(b, c)
void main() {
  uint low = 0, high = 100;
  while (low < high) {
    uint mid = (low + high) / 2;
    if (a[mid] < b[I])
      low = mid + 1;
    else
      high = mid;
  }
  r[I] = low;
  uint x = b[I], y = c[I];
  while (y != 0) {
    uint t = x % y;
    x = y;
    y = t;
  }
  g[I] = x;
}
