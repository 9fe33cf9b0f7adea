#version 450
// Writes the value that follows from i in `steps` steps. The length of the code depends on the
// constant.
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint steps = 1;
layout(set = 0, binding = 0) buffer Result { uint result[]; };

void main() {
  uint i = gl_GlobalInvocationID.x, value = i;
  for (uint step = 0; step < steps; ++step)
    value = value * 1664525u + (i ^ step) * 7u;
  result[i] = value;
}
