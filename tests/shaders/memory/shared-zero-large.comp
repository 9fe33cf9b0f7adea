// Workgroup memory so large that a loop initializes it to zero for each workgroup.
//! groups 3
//! out uint r = 32 - I % 32
//! only cpu
shared uint s[1 << 17] = {}, few[40] = {}, t[70000] = {};
void main() {
  uint l = gl_LocalInvocationID.x, seen = few[l + 8];
  for (uint i = l; i < s.length(); i += 32)
    seen |= s[i];
  for (uint i = l; i < t.length(); i += 32)
    seen |= t[i];
  barrier();
  s[l] = l;
  barrier();
  r[I] = seen + 1 + s[31 - l];
  s[s.length() - 1 - l] = 7;
  t[t.length() - 1 - l] = t[l] = few[8 + l] = 9;
}
