//! subgroup 4 8 16 32 64
//! size 64
//! in uint a = rand(np.uint32, N) | (I % 4 == 2)
//! let odd = (a & 1).reshape(-1, SG)
//! let lane = np.arange(SG)
//! let word = [int((r.astype(object) << lane.astype(object)).sum()) for r in odd]
//! let rep = lambda x: np.repeat(x, SG)
//! out uint low = rep([w & 0xffffffff for w in word])
//! out uint high = rep([w >> 32 for w in word])
//! out uint count = rep(odd.sum(1))
//! out uint inclusive = np.cumsum(odd, 1)
//! out uint exclusive = np.cumsum(odd, 1) - odd
//! out uint lsb = rep([r.tolist().index(1) for r in odd])
//! out uint msb = rep([SG - 1 - r.tolist()[::-1].index(1) for r in odd])
//! out uint extracted = np.roll(odd, -1, 1)
//! out uint inverse = odd
void main() {
  uvec4 b = subgroupBallot((a[I] & 1u) != 0);
  low[I] = b.x;
  high[I] = b.y;
  count[I] = subgroupBallotBitCount(b);
  inclusive[I] = subgroupBallotInclusiveBitCount(b);
  exclusive[I] = subgroupBallotExclusiveBitCount(b);
  lsb[I] = subgroupBallotFindLSB(b);
  msb[I] = subgroupBallotFindMSB(b);
  extracted[I] = subgroupBallotBitExtract(b, (gl_SubgroupInvocationID + 1) % SG) ? 1 : 0;
  inverse[I] = subgroupInverseBallot(b) ? 1 : 0;
}
