// Lanes leave a loop at different times. Each iteration counts the active lanes.
//! subgroup 4 8 16
//! size 32
//! in uint a = rand(np.uint32, N, low=0, high=9)
//! let g = a.reshape(-1, SG)
//! out uint r = [[sum(int((row > k).sum()) for k in range(x)) for x in row.tolist()] for row in g]
void main() {
  uint s = 0;
  for (uint k = 0; k < a[I]; k++)
    s += subgroupBallotBitCount(subgroupBallot(true));
  r[I] = s;
}
