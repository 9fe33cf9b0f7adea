// Computes y = a * x + y, through descriptors.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) buffer Y { float y[]; };
layout(push_constant) uniform Parameters { float a; uint count; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < count)
    y[i] = a * x[i] + y[i];
}
