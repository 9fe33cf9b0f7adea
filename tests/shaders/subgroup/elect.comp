// Each branch elects its first active invocation.
//! subgroup 4 8 16 32 64
//! size 64
//! in uint a = rand(np.uint32, N, low=0, high=3)
//! let g = a.reshape(-1, SG)
//! let first = np.array([[r.tolist().index(x) == i for i, x in enumerate(r.tolist())] for r in g])
//! out uint r = first
void main() {
  r[I] = 0;
  switch (a[I]) {
  case 0: if (subgroupElect()) r[I] = 1; break;
  case 1: if (subgroupElect()) r[I] = 1; break;
  case 2: if (subgroupElect()) r[I] = 1; break;
  default: if (subgroupElect()) r[I] = 1;
  }
}
