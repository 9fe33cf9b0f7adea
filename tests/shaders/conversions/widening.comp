// Converts every f16 value, including subnormals, infinities and NaN.
//! size 256
//! groups 256
//! in float16_t a = np.arange(65536).astype(np.uint16).view(np.float16)
//! out float r = a
void main() { r[I] = float(a[I]); }
