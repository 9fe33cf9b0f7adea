// Blocks with explicit layout in workgroup memory, which alias each other.
//! in uint a = rand(np.uint32, N)
//! out uint8_t r = a.view(np.uint8)
shared A { uint words[32]; } x;
shared B { uint8_t bytes[128]; } y;
void main() {
  uint l = gl_LocalInvocationID.x;
  x.words[l] = a[I];
  barrier();
  for (uint i = 0; i < 4; i++)
    r[I * 4 + i] = y.bytes[l * 4 + i];
}
