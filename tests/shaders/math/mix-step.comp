//! for T: float double
//! in T a = rand(np.int32, N, low=-9, high=9)
//! in T b = rand(np.int32, N, low=-9, high=9, seed=1)
//! let t = np.clip((a - (-4)) / 8, 0, 1)
//! out T r = np.stack([a * 0.75 + b * 0.25, (b >= a), np.where(a > b, b, a)])
//! out T smooth_ ~ulps:8 = t * t * (3 - 2 * t)
void main() {
  r[I] = mix(a[I], b[I], T(0.25));
  r[N + I] = step(a[I], b[I]);
  r[2 * N + I] = mix(a[I], b[I], a[I] > b[I]);
  smooth_[I] = smoothstep(T(-4), T(4), a[I]);
}
