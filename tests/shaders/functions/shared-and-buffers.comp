// Functions that access buffers and workgroup memory, and a function with a barrier.
//! in int a = rand(np.int32, N)
//! out int r = np.roll(a.reshape(2, 32), -3, 1)
shared int kept[32];
void put(uint l) { kept[l] = a[I]; barrier(); }
int get(uint l) { return kept[(l + 3) % 32]; }
void main() {
  put(gl_LocalInvocationID.x);
  r[I] = get(gl_LocalInvocationID.x);
}
