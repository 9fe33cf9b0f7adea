#version 450
// Reads each element of a descriptor array by a constant index. There is also a single descriptor.
layout(local_size_x = 64) in;
layout(set = 0, binding = 1) writeonly buffer Result { uint result[]; };
layout(set = 0, binding = 4) readonly buffer Part { uint words[]; } parts[3];

void main() {
  uint i = gl_GlobalInvocationID.x;
  result[i] = parts[0].words[i] + 2 * parts[1].words[i] + 4 * parts[2].words[i];
}
