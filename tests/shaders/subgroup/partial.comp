// Workgroups whose last subgroup is half empty.
//! for X: 5 13 20 33
//! subgroup 8 16
//! size X
//! in int a = rand(np.int32, N, low=0, high=100)
//! let g = a.reshape(2, X)
//! out int r = [[int(row[i // SG * SG:(i // SG + 1) * SG].sum()) for i in range(X)] for row in g]
//! out uint n = [[min(SG, X - i // SG * SG) for i in range(X)] for row in g]
void main() {
  r[I] = subgroupAdd(a[I]);
  n[I] = subgroupBallotBitCount(subgroupBallot(true));
}
