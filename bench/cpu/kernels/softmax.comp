#version 450
// Softmax of rows, with one workgroup per row.
layout(local_size_x = 256) in;
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Push { uint columns; };
shared float part[256];
void main() {
  uint lane = gl_LocalInvocationID.x, row = gl_WorkGroupID.x * columns;
  float largest = -3.402823466e38;
  for (uint i = lane; i < columns; i += 256)
    largest = max(largest, x[row + i]);
  part[lane] = largest;
  barrier();
  for (uint step = 128; step > 0; step >>= 1) {
    if (lane < step)
      part[lane] = max(part[lane], part[lane + step]);
    barrier();
  }
  largest = part[0];
  barrier();
  float sum = 0.0;
  for (uint i = lane; i < columns; i += 256)
    sum += exp(x[row + i] - largest);
  part[lane] = sum;
  barrier();
  for (uint step = 128; step > 0; step >>= 1) {
    if (lane < step)
      part[lane] += part[lane + step];
    barrier();
  }
  float scale = 1.0 / part[0];
  for (uint i = lane; i < columns; i += 256)
    y[row + i] = exp(x[row + i] - largest) * scale;
}
