// Shuffles by any lane, by exclusive or, and by distance. Results from inactive lanes are not
// checked.
//! for T: int8_t uint16_t int float int64_t double float16_t uint
//! subgroup 4 8 16 32 64
//! size 64
//! in T a = rand(T, N)
//! let g, lane = a.reshape(-1, SG), np.arange(SG)
//! out T r = np.stack([g[:, (lane * 3 + 1) % SG], g[:, lane ^ 1], g[:, lane ^ (SG - 1)],
//!     g[:, np.maximum(lane - 1, 0)], g[:, np.minimum(lane + 2, SG - 1)]])
void main() {
  uint n = gl_NumWorkGroups.x * 64, lane = gl_SubgroupInvocationID;
  r[I] = subgroupShuffle(a[I], (lane * 3 + 1) % SG);
  r[n + I] = subgroupShuffleXor(a[I], 1);
  r[2 * n + I] = subgroupShuffleXor(a[I], SG - 1);
  T up = subgroupShuffleUp(a[I], 1), down = subgroupShuffleDown(a[I], 2);
  T first = subgroupShuffle(a[I], 0), last = subgroupShuffle(a[I], SG - 1);
  r[3 * n + I] = lane == 0 ? first : up;
  r[4 * n + I] = lane + 2 >= SG ? last : down;
}
