// A five-point convolution with a halo in workgroup memory. Indices are clamped at the edges.
//! size 32
//! groups 4
//! in float a = rand(np.int32, N, low=-9, high=9)
//! let p = np.pad(a, 2, mode='edge')
//! out float r = sum(w * p[i:i + N] for i, w in enumerate((1, 4, 6, 4, 1)))
shared float kept[36];
float at(int i) { return a[clamp(i, 0, int(N) - 1)]; }
void main() {
  uint l = gl_LocalInvocationID.x;
  kept[l + 2] = a[I];
  if (l < 2) {
    kept[l] = at(int(I) - 2);
    kept[l + 34] = at(int(I) + 32);
  }
  barrier();
  r[I] = kept[l] + 4 * kept[l + 1] + 6 * kept[l + 2] + 4 * kept[l + 3] + kept[l + 4];
}
