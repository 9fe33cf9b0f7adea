//! for A,B,F,T: ivec4,vec4,int,float uvec4,ivec4,uint,int vec4,dvec4,float,double i8vec4,ivec4,int8_t,int f16vec4,vec4,float16_t,float
//! in A a = rand(np.int32, N, 4, low=0, high=100)
//! out B r = np.hstack([a, a[:, ::-1]]).reshape(-1, 4)
//! out T first = a[:, 0]
void main() {
  r[2 * I] = B(a[I]);
  r[2 * I + 1] = B(a[I].wzyx);
  first[I] = T(a[I]);
}
