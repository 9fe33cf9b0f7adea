// In one loop, some invocations return and the others break. Only the latter continue after the
// loop.
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
