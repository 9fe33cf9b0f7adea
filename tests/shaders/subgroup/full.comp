// Full subgroups are required: no subgroup has inactive lanes.
//! full
//! subgroup 8 16
//! size 64
//! out uint r = np.stack([np.full(N, SG), np.full(N, 64 // SG), N // 2 // SG * 0 + I % 64 // SG])
void main() {
  r[I] = subgroupBallotBitCount(subgroupBallot(true));
  r[N + I] = gl_NumSubgroups;
  r[2 * N + I] = gl_SubgroupID;
}
