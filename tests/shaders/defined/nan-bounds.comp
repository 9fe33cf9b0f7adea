// If the specification leaves the result for NaN open, ours is that of GPUs. A clamped NaN is the
// lower bound, a sign is -1, 0 or 1, and a step between equal edges is 0 or 1.
//! only cpu
//! for T: float double float16_t
//! in T a = np.array([np.nan, 1.5, -np.nan, -2, np.inf, -np.inf, 0, 0.25])[I % 8]
//! in T low = -0.5
//! in T high = 0.75
//! let c = np.where(np.isnan(a), -0.5, np.clip(a, -0.5, 0.75))
//! out T r = np.stack([c, np.where(np.isnan(a), 0, np.clip(a, 0, 1)), np.where(np.isnan(a), 0, np.maximum(a, 0)), np.where(np.isnan(a), 1, np.minimum(a, 1))])
//! out int s = np.where(np.isnan(a), 0, np.sign(a))
//! out T t = np.where(a > 0.25, 1, 0)
void main() {
  r[I] = clamp(a[I], low[I], high[I]);
  r[N + I] = clamp(a[I], T(0), T(1));
  r[2 * N + I] = max(T(0), a[I]);
  r[3 * N + I] = min(T(1), a[I]);
  s[I] = int(sign(a[I]));
  T edge = low[I] + high[I];
  t[I] = smoothstep(edge, edge, a[I]);
}
