// Access to components by an index that differs from lane to lane.
//! for V,T,D: vec2,float,2 ivec4,int,4 dvec2,double,2 u16vec4,uint16_t,4 i8vec2,int8_t,2
//! in V a = rand(np.int32, N, D, low=0, high=99)
//! in uint at = rand(np.uint32, N) % D
//! out T picked = a[I, at]
//! out V changed = np.where(np.arange(D) == at[:, None], 77, a)
void main() {
  V v = a[I];
  picked[I] = v[at[I]];
  v[at[I]] = T(77);
  changed[I] = v;
}
