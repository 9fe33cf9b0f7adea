#version 450
// Reads a uniform buffer, and uses a storage buffer as well.
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) uniform Values { uvec4 values[4]; };
layout(set = 0, binding = 1) writeonly buffer Result { uint result[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  result[i] = values[i / 4][i % 4] + i;
}
