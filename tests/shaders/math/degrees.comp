//! in float a = rand(np.float32, N)
//! out float r ~ulps:4 = np.stack([np.degrees(a.astype(np.float64)), np.radians(a.astype(np.float64))])
void main() {
  r[I] = degrees(a[I]);
  r[N + I] = radians(a[I]);
}
