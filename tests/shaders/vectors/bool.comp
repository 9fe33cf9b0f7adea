// Vectors of bool in variables, arrays and functions.
//! in uvec4 a = rand(np.uint32, N, 4, low=0, high=1)
//! out uvec4 r = np.stack([1 - a, a & a[:, ::-1], a | a[:, ::-1], a ^ a[:, ::-1]])
bvec4 both(bvec4 a, bvec4 b) { return bvec4(a.x && b.x, a.y && b.y, a.z && b.z, a.w && b.w); }
void main() {
  bvec4 v = bvec4(a[I]), list[2] = bvec4[2](v, v.wzyx);
  r[I] = uvec4(not(list[0]));
  r[N + I] = uvec4(both(list[0], list[1]));
  r[2 * N + I] = uvec4(v.x || list[1].x, v.y || list[1].y, v.z || list[1].z, v.w || list[1].w);
  r[3 * N + I] = uvec4(v.x ^^ list[1].x, v.y != list[1].y, v.z ^^ list[1].z, v.w != list[1].w);
}
