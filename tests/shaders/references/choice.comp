// Lanes read different buffers, and a loop changes a reference in a variable.
//! raw int x @9.0 = np.arange(N)
//! raw int y @9.1 = np.arange(N) * 100
//! out int r = np.where(I % 3 == 0, I, I * 100)
//! out int sum = [sum(range(i % 5, i % 5 + 4)) for i in range(N)]
//! push x = "x"
//! push y = "y"
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Ints { int data[]; };
layout(push_constant) uniform P { Ints x, y; };
void main() {
  Ints from = x;
  if (I % 3 != 0)
    from = y;
  r[I] = from.data[I];
  Ints at = Ints(uint64_t(x) + (I % 5) * 4);
  int s = 0;
  for (int i = 0; i < 4; i++) {
    s += at.data[0];
    at = Ints(uint64_t(at) + 4ul);
  }
  sum[I] = s;
}
