// Atomics through addresses.
//! raw uint x @9.0 = [0, 0xffffffff, 0] -> [N * (N - 1) // 2, 0, N]
//! push x = "x"
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint sum, low, count; };
layout(push_constant) uniform P { Words x; };
void main() {
  atomicAdd(x.sum, I);
  atomicMin(x.low, I);
  atomicAdd(x.count, 1);
}
