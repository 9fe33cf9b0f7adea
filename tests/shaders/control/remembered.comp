// Values from earlier iterations in lanes that skip some: last, first, count and sum of gaps.
//! in uint a = rand(np.uint32, N)
//! let hits = lambda x: [i for i in range(32) if x >> i & 1 and i % 3]
//! let h = [hits(x) for x in a.tolist()]
//! out int r = [[k[-1] if k else -1 for k in h], [k[0] if k else -1 for k in h], [len(k) for k in h], [sum(k[i] - k[i - 1] for i in range(1, len(k))) for k in h]]
void main() {
  int last = -1, first = -1, count = 0, gaps = 0;
  for (int i = 0; i < 32; i++) {
    if (i % 3 == 0 || (a[I] >> i & 1u) == 0)
      continue;
    if (first < 0)
      first = i;
    else
      gaps += i - last;
    last = i;
    count++;
  }
  r[I] = last;
  r[N + I] = first;
  r[2 * N + I] = count;
  r[3 * N + I] = gaps;
}
