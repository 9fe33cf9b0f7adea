// Structs of thousands of numbers, copied as a whole. Their code is long, but compiles within
// seconds.
//! only cpu
//! groups 1
//! raw uint s @1.0 = np.arange(N * 4000) -> np.where(np.arange(N * 4000) % 4000 == 5, 3, np.arange(N * 4000) % 8000) + (np.arange(N * 4000) % 4000 == 9)
struct S { uint a[4000]; };
layout(std430, set = 1, binding = 0) buffer Structs { S s[]; };
void main() {
  S t = s[I & 1];
  t.a[5] = 3;
  barrier();
  t.a[9 + s.length() - N] += 1;
  s[I] = t;
}
