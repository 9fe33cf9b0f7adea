//! for V,T: vec4,float ivec4,int dvec4,double
//! in V a = rand(np.int32, N, 4, low=-99, high=99)
//! out V r = np.stack([a * 3, 100 - a, a + a[:, :1], a / 1])
void main() {
  r[I] = a[I] * T(3);
  r[N + I] = T(100) - a[I];
  r[2 * N + I] = a[I] + a[I].x;
  r[3 * N + I] = a[I] / T(1);
}
