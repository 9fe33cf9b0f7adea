// Workgroup memory that is initialized to zero for each workgroup.
//! groups 20
//! out int r = 1
shared int kept[64] = {};
void main() {
  uint l = gl_LocalInvocationID.x;
  int seen = kept[l] + kept[63 - l];
  barrier();
  kept[l]++;
  kept[63 - l]++;
  barrier();
  r[I] = seen + kept[l];
}
