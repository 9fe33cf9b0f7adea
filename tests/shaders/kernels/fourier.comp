// A 64-point fast Fourier transform in workgroup memory.
//! size 32
//! groups 2
//! in vec2 a = rand(np.float32, 128, 2)
//! let c = a.astype(np.float64)
//! let f = np.fft.fft((c[:, 0] + 1j * c[:, 1]).reshape(2, 64), axis=1).ravel()
//! out vec2 r ~absolute:0.02 = np.stack([f.real, f.imag], 1)
shared vec2 x[64];
void main() {
  uint l = gl_LocalInvocationID.x, base = gl_WorkGroupID.x * 64;
  for (uint i = l; i < 64; i += 32)
    x[bitfieldReverse(i) >> 26] = a[base + i];
  for (uint m = 1; m < 64; m *= 2) {
    barrier();
    uint k = l / m * 2 * m + l % m;
    float angle = -3.14159265 * float(l % m) / float(m);
    vec2 w = vec2(cos(angle), sin(angle)), u = x[k], v = x[k + m];
    vec2 t = vec2(w.x * v.x - w.y * v.y, w.x * v.y + w.y * v.x);
    x[k] = u + t;
    x[k + m] = u - t;
  }
  barrier();
  for (uint i = l; i < 64; i += 32)
    r[base + i] = x[i];
}
