// Compacts the elements that pass a test, in order, by ballots.
//! size 32
//! groups 1
//! subgroup 4 8 16
//! in int a = rand(np.int32, N, low=0, high=99)
//! let kept = [x for x in a.tolist() if x % 3 == 0]
//! out int r = kept + [-1] * (N - len(kept))
//! out uint n = [len(kept)]
shared uint base[16];
void main() {
  r[I] = -1;
  memoryBarrierBuffer();
  barrier();
  bool keep = a[I] % 3 == 0;
  uvec4 votes = subgroupBallot(keep);
  if (subgroupElect())
    base[gl_SubgroupID] = subgroupBallotBitCount(votes);
  barrier();
  uint at = 0, total = 0;
  for (uint i = 0; i < gl_NumSubgroups; i++) {
    if (i < gl_SubgroupID)
      at += base[i];
    total += base[i];
  }
  if (keep)
    r[at + subgroupBallotExclusiveBitCount(votes)] = a[I];
  if (I == 0)
    n[0] = total;
}
