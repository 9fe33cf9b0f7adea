// The invocations that return are gone; those that left the loop before are not.
//! subgroup 4 8 16
//! size 64
//! let l = I % 64
//! out uint r = np.where(l < 12, 9, 64 - l)
shared uint part[64];
void main() {
  uint l = gl_LocalInvocationID.x;
  part[l] = l;
  for (;;) {
    barrier();
    if (l >= 12u)
      break;
    r[I] = 9u;
    return;
  }
  r[I] = part[63u - l] + 1u;
}
