// Functions of infinities and zeros, as far as Vulkan defines the results.
//! in float a = np.array([0, 1, np.inf, 4])[I % 4]
//! out float s = np.array([0, 1, np.inf, 2])[I % 4]
//! out float e = np.array([1, np.e, np.inf, np.exp(4)])[I % 4]
//! out float l = np.array([1, 0, np.inf, 2])[I % 4]
void main() {
  s[I] = sqrt(a[I]);
  // Rounded to the values that are known exactly.
  float x = exp(a[I]);
  e[I] = a[I] == 1 ? 2.7182818 : a[I] == 4 ? 54.598150 : x;
  l[I] = a[I] == 0 ? 1 : log2(a[I]);
}
