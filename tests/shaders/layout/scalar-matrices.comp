// Scalar layout of matrices and three-component vectors, without padding.
//! groups 1
//! raw float m @0.0 = np.arange(N * 12)
//! out float r = np.stack([12 * I + 2, 12 * I + 3 * (I % 3) + 4, 12 * I + 11])
struct S { vec3 v; mat3 m; };
layout(scalar, set = 0, binding = 0) buffer Block { S s[]; };
void main() {
  r[I] = s[I].v.z;
  r[N + I] = s[I].m[I % 3].y;
  r[2 * N + I] = s[I].m[2][2];
}
