// Buffers accessed by address: elements, offsets, and a copy between two buffers.
//! raw float x @9.0 = rand(np.float32, N)
//! raw float y @9.1 = np.zeros(N) -> x * 2
//! push x = "x"
//! push y = "y"
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Floats { float data[]; };
layout(push_constant) uniform P { Floats x, y; };
void main() { y.data[I] = x.data[I] * 2; }
