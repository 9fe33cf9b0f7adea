//! for T: int float int8_t int64_t float16_t double
//! subgroup 4 8 16 32 64
//! size 64
//! groups 3
//! in T a = np.where(I < 64, 5, np.where(I < 128, I % 2, np.where(I % SG == SG - 1, 3, 4)))
//! let g = a.reshape(-1, SG)
//! let rep = lambda x: np.repeat(x, SG)
//! out uint r = np.stack([rep((g == 5).all(1)), rep((g == 3).any(1)), rep((g == g[:, :1]).all(1)),
//!     rep((g > 0).all(1))])
void main() {
  uint n = gl_NumWorkGroups.x * 64;
  r[I] = uint(subgroupAll(a[I] == T(5)));
  r[n + I] = uint(subgroupAny(a[I] == T(3)));
  r[2 * n + I] = uint(subgroupAllEqual(a[I]));
  r[3 * n + I] = uint(subgroupAll(a[I] > T(0)));
}
