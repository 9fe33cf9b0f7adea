// Edge cases: products of zero, total reflection, and lengths at the limits of the type.
//! only cpu
//! for V,T,D: vec2,float,2 vec3,float,3 vec4,float,4 dvec2,double,2 dvec3,double,3 f16vec2,float16_t,2 f16vec3,float16_t,3 f16vec4,float16_t,4
//! in T zero = np.zeros(N, T)
//! out T facing = np.array([-1, -1, 1, -1] * (N // 4))
//! out T through = np.array([1, 0, 0, -1] * (N // 4))
//! out T length_ = np.array([0, 2, np.inf, 3] * (N // 4))
//! out T apart = np.array([0, 1, np.inf, 2] * (N // 4))
//! out T unit = np.array([1, -1, 1, 1] * (N // 4))
V axis(uint at, T value) { V v = V(zero[0]); v[at] = value; return v; }
void main() {
  T nan = zero[I] / zero[I], inf = T(1) / zero[I];
  uint which = I % 4;
  V x = axis(0, T(1)), y = axis(1, T(1));
  // faceforward(n, i, nref) is n only if dot(nref, i) < 0, so not if it is 0 or NaN.
  V f = faceforward(x, which == 0 ? x : which == 1 ? y : which == 2 ? -x : axis(0, nan), x);
  facing[I] = f[0];
  // Unchanged with eta 1, total reflection along the surface, and a ray from behind.
  V r = which == 0 ? refract(x, -x, T(1)) : which == 1 ? refract(x, y, T(2))
      : which == 2 ? refract(y, x, T(1.5)) : refract(-x, x, T(0.5));
  through[I] = r[0];
  length_[I] = which == 0 ? length(V(zero[I])) : which == 1 ? length(axis(1, T(-2)))
             : which == 2 ? length(axis(0, -inf)) : length(axis(0, T(3)));
  apart[I] = which == 0 ? distance(x, x) : which == 1 ? distance(x, V(zero[I]))
           : which == 2 ? distance(axis(0, inf), x) : distance(x, -x);
  unit[I] = normalize(axis(which == 3 ? 1 : 0, which == 1 ? T(-0.25) : T(8)))[which == 3 ? 1 : 0];
}
