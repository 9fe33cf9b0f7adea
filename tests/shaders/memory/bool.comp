// Booleans in variables, arrays, structs and workgroup memory.
//! size 32
//! in int a = rand(np.int32, N, low=0, high=7)
//! let g = a.reshape(2, 32)
//! out uint r = (np.roll(g, -1, 1) > 3) + 2 * (g % 2 == 0) + 4 * ((g > 3) != (g % 2 == 0))
shared bool flags[32];
struct S { bool x[2]; };
void main() {
  uint l = gl_LocalInvocationID.x;
  S s = S(bool[2](a[I] > 3, a[I] % 2 == 0));
  flags[l] = s.x[0];
  barrier();
  r[I] = uint(flags[(l + 1) % 32]) + 2 * uint(s.x[1]) + 4 * uint(s.x[0] != s.x[(a[I] & 0) + 1]);
}
