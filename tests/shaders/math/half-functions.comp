// The functions of f16.
//! in float16_t a = np.linspace(0.1, 3, N)
//! let w = a.astype(np.float64)
//! out float16_t r ~ulps:12 ~absolute:0.01 = np.stack([np.sin(w), np.cos(w), np.exp(w), np.log(w + 1), np.sqrt(w), 1 / np.sqrt(w), np.power(w, 2.0), np.tanh(w), np.arctan(w)])
void main() {
  float16_t x = a[I];
  r[I] = sin(x);
  r[N + I] = cos(x);
  r[2 * N + I] = exp(x);
  r[3 * N + I] = log(x + float16_t(1));
  r[4 * N + I] = sqrt(x);
  r[5 * N + I] = inversesqrt(x);
  r[6 * N + I] = pow(x, float16_t(2));
  r[7 * N + I] = tanh(x);
  r[8 * N + I] = atan(x);
}
