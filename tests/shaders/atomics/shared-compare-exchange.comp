// A maximum by compare-exchange in workgroup memory, of integers and of the bits of floats.
//! size 64
//! in int a = rand(np.int32, N)
//! in float f = rand(np.float32, N, low=0, high=100)
//! out int r = a.reshape(2, 64).max(1)
//! out float s = f.reshape(2, 64).max(1)
shared int top;
shared uint bits;
void main() {
  if (gl_LocalInvocationIndex == 0) { top = -2147483647 - 1; bits = 0; }
  barrier();
  int seen = top;
  while (seen < a[I]) {
    int was = atomicCompSwap(top, seen, a[I]);
    if (was == seen)
      break;
    seen = was;
  }
  uint had = bits;
  while (uintBitsToFloat(had) < f[I]) {
    uint was = atomicCompSwap(bits, had, floatBitsToUint(f[I]));
    if (was == had)
      break;
    had = was;
  }
  barrier();
  if (gl_LocalInvocationIndex == 0) {
    r[gl_WorkGroupID.x] = top;
    s[gl_WorkGroupID.x] = uintBitsToFloat(bits);
  }
}
