#version 450
// The sum of sum.comp, with sixteen elements per invocation.
layout(local_size_x = 256) in;
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) writeonly buffer Y { float sums[]; };
layout(push_constant) uniform Push { uint n; };
shared float part[256];
void main() {
  uint lane = gl_LocalInvocationID.x, first = gl_WorkGroupID.x * 4096 + lane;
  float sum = 0.0;
  for (uint k = 0; k < 16; ++k) {
    uint i = first + k * 256;
    if (i < n)
      sum += x[i];
  }
  part[lane] = sum;
  barrier();
  for (uint step = 128; step > 0; step >>= 1) {
    if (lane < step)
      part[lane] += part[lane + step];
    barrier();
  }
  if (lane == 0)
    sums[gl_WorkGroupID.x] = part[0];
}
