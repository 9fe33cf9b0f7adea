#version 450
// Uses descriptors in several sets, with gaps between the numbers.
layout(local_size_x = 64) in;
layout(set = 0, binding = 3) writeonly buffer Result { uint result[]; };
layout(set = 1, binding = 0) readonly buffer A { uint a[]; };
layout(set = 1, binding = 7) readonly buffer B { uint b[]; };
layout(set = 3, binding = 2) readonly buffer C { uint c[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  result[i] = a[i] + 2 * b[i] + 4 * c[i] + 8 * uint(result.length());
}
