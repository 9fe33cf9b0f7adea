// A histogram that each workgroup counts in workgroup memory and adds to the total.
//! size 64
//! groups 8
//! in uint8_t a = rand(np.uint8, N)
//! inout uint h = np.zeros(16) -> np.bincount(a // 16, minlength=16)
shared uint kept[16];
void main() {
  uint l = gl_LocalInvocationID.x;
  if (l < 16)
    kept[l] = 0;
  barrier();
  atomicAdd(kept[uint(a[I]) / 16], 1);
  barrier();
  if (l < 16 && kept[l] != 0)
    atomicAdd(h[l], kept[l]);
}
