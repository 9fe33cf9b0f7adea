// Shuffles by lane numbers from memory, and shuffles between active lanes in divergent control
// flow.
//! subgroup 4 8 16
//! size 32
//! in uint at = rand(np.uint32, N)
//! in int a = rand(np.int32, N)
//! let g = a.reshape(-1, SG)
//! let l = np.arange(SG)
//! out int r = np.take_along_axis(g, (at % SG).reshape(-1, SG).astype(int), 1)
//! out int s = np.where(l % 2 == 0, g[:, l ^ 2], -g)
void main() {
  r[I] = subgroupShuffle(a[I], at[I] % SG);
  if (gl_SubgroupInvocationID % 2 == 0)
    s[I] = subgroupShuffleXor(a[I], 2);
  else
    s[I] = -a[I];
}
