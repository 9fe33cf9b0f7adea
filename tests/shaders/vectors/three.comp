// Vectors of three take the space of four. Stores do not change the fourth element.
//! for V: vec3 ivec3 uvec3 dvec3
//! in V a = rand(np.int32, N, 3, low=0, high=99)
//! out V r = a[:, [2, 0, 1]] * 2 + 1
void main() { r[I] = a[I].zxy + a[I].zxy + 1; }
