// Subgroup operations on vectors work component-wise.
//! for V,T: ivec4,int vec2,float uvec4,uint dvec2,double
//! subgroup 4 8 16
//! size 32
//! let D = int(V[-1])
//! in V a = rand(np.int32, N, int(V[-1]), low=0, high=50)
//! let g = a.reshape(-1, SG, D)
//! let rep = lambda x: np.repeat(x, SG, 0)
//! out V r = np.concatenate([rep(g.sum(1)), np.cumsum(g, 1).reshape(-1, D), rep(g.max(1)), g[:, ::-1].reshape(-1, D), rep(g[:, 1])])
void main() {
  r[I] = subgroupAdd(a[I]);
  r[N + I] = subgroupInclusiveAdd(a[I]);
  r[2 * N + I] = subgroupMax(a[I]);
  r[3 * N + I] = subgroupShuffleXor(a[I], SG - 1);
  r[4 * N + I] = subgroupBroadcast(a[I], 1);
}
