#version 450
// C = A B for square matrices in row-major order. An invocation computes one element of C.
layout(local_size_x = 16, local_size_y = 16) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) readonly buffer B { float b[]; };
layout(std430, binding = 2) writeonly buffer C { float c[]; };
layout(push_constant) uniform Push { uint n; };
void main() {
  uint column = gl_GlobalInvocationID.x, row = gl_GlobalInvocationID.y;
  float sum = 0.0;
  for (uint k = 0; k < n; ++k)
    sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}
