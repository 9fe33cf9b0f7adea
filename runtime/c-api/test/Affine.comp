// Computes y = factor * x + addend. The factor and the workgroup size are specialization constants.
#version 450
layout(local_size_x_id = 0) in;
layout(constant_id = 5) const int factor = 2;
layout(set = 0, binding = 0) readonly buffer X { int x[]; };
layout(set = 0, binding = 1) writeonly buffer Y { int y[]; };
layout(push_constant) uniform Parameters { int addend; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < x.length())
    y[i] = factor * x[i] + addend;
}
