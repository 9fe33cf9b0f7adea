#version 450
// Each workgroup computes a sum by a tree in workgroup memory, with one element per invocation.
layout(local_size_x = 256) in;
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) writeonly buffer Y { float sums[]; };
layout(push_constant) uniform Push { uint n; };
shared float part[256];
void main() {
  uint lane = gl_LocalInvocationID.x, i = gl_GlobalInvocationID.x;
  part[lane] = i < n ? x[i] : 0.0;
  barrier();
  for (uint step = 128; step > 0; step >>= 1) {
    if (lane < step)
      part[lane] += part[lane + step];
    barrier();
  }
  if (lane == 0)
    sums[gl_WorkGroupID.x] = part[0];
}
