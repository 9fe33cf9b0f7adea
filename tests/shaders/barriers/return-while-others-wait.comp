// Some invocations return within a loop in which others wait at a barrier. The others continue
// after it.
//! subgroup 4 8 16
//! size 64
//! let l = I % 64
//! out uint r = np.where(l < 12, 9, 64 - l)
//! out uint s = np.where(l < 12, 9, 64 - l)
shared uint part[64];
uint other() {
  uint l = gl_LocalInvocationID.x;
  part[l] = l;
  for (;;) {
    barrier(); // each invocation reaches this barrier once
    if (l >= 12u)
      break;
    return 9u;
  }
  return part[63u - l] + 1u;
}
void main() {
  uint l = gl_LocalInvocationID.x;
  s[I] = other();
  part[l] = l;
  barrier();
  while (l < 12u) {
    r[I] = 9u;
    return;
  }
  r[I] = part[63u - l] + 1u;
}
