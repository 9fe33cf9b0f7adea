// Powers are within 3 + 2 |x| ulps, and logarithms away from one within 3.
//! in float a = np.linspace(-6, 6, N)
//! in float b = np.concatenate([np.linspace(0.01, 0.49, N // 2), np.linspace(2.1, 90, N // 2)])
//! let w, v = a.astype(np.float64), b.astype(np.float64)
//! out float e ~ulps:15 = np.exp(w)
//! out float e2 ~ulps:15 = np.exp2(w)
//! out float l ~ulps:3 = np.log(v)
//! out float l2 ~ulps:3 = np.log2(v)
//! out float p ~ulps:80 = np.power(v, w)
void main() {
  e[I] = exp(a[I]);
  e2[I] = exp2(a[I]);
  l[I] = log(b[I]);
  l2[I] = log2(b[I]);
  p[I] = pow(b[I], a[I]);
}
