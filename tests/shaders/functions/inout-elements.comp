// Elements of buffers and workgroup memory as inout arguments are copied in and copied back.
//! size 32
//! inout int a = I -> I * 2 + 1
//! out int r = I % 32 + 100
shared int kept[32];
void change(inout int x, int add) { x = x * 2 + add; }
void main() {
  uint l = gl_LocalInvocationID.x;
  change(a[I], 1);
  kept[l] = int(l);
  change(kept[l], 200);
  r[I] = kept[l] / 2;
}
