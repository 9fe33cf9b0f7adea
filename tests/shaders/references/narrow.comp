// Elements of 8, 16 and 64 bits, accessed by address.
//! for T,W: uint8_t,1 int16_t,2 int64_t,8 float16_t,2 double,8
//! raw T x @9.0 = rand(np.int32, N, low=0, high=100)
//! raw T y @9.1 = np.zeros(N) -> np.roll(x, 1)
//! push x = "x"
//! push y = "y"
layout(buffer_reference, std430, buffer_reference_align = W) buffer Data { T data[]; };
layout(push_constant) uniform P { Data x, y; };
void main() { y.data[(I + 1) % N] = x.data[I]; }
