// A private array of a thousand words in each invocation.
//! size 64
//! in uint a = rand(np.uint32, N, low=0, high=999)
//! out uint r = (a * a + 7) % 1000 + a * 3
void main() {
  uint big[1000];
  for (uint i = 0; i < 1000; i++)
    big[i] = i * 3;
  big[(a[I] + 1) % 1000] = 0;
  big[a[I]] += (a[I] * a[I] + 7) % 1000;
  r[I] = big[a[I]];
}
