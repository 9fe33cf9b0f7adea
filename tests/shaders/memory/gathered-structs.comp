// Structs of mixed members, gathered by member and scattered as a whole.
//! raw int s @1.0 = np.arange(64 * 6)
//! raw int t @1.1 = np.zeros(64 * 6) -> np.arange(64 * 6).reshape(64, 6)[(np.arange(64) * 5) % 64]
//! out float f = (I * 13 % 64 * 6 + 3) * 0.5
struct P { int a; int b; int c[2]; int d; int e; };
layout(std430, set = 1, binding = 0) buffer A { P s[]; };
layout(std430, set = 1, binding = 1) buffer B { P t[]; };
void main() {
  uint at = I * 13 % 64;
  P p = s[at];
  t[at * 13 % 64] = s[at];  // 13 * 13 * 25 = 1 and 13 * 25 = 5 modulo 64
  f[I] = float(p.c[1]) * 0.5;
}
