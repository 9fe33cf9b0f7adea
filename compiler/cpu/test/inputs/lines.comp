#version 460
layout(local_size_x = 8) in;
layout(std430, binding = 0) buffer Data { float data[]; };

float squared(float x) {
  return x * x;
}

void main() {
  uint i = gl_GlobalInvocationID.x;
  data[i] = squared(data[i]) + 1.0;
}
