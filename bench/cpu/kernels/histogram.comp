#version 450
// Counts 256 values, first in workgroup memory. An invocation handles four bytes in each step.
layout(local_size_x = 256) in;
layout(std430, binding = 0) readonly buffer X { uint words[]; };
layout(std430, binding = 1) buffer Y { uint counts[]; };
layout(push_constant) uniform Push { uint n; };
shared uint part[256];
void main() {
  uint lane = gl_LocalInvocationID.x;
  part[lane] = 0;
  barrier();
  uint first = gl_WorkGroupID.x * 4096 + lane;
  for (uint k = 0; k < 16; ++k) {
    uint i = first + k * 256;
    if (i < n) {
      uint word = words[i];
      atomicAdd(part[word & 255], 1);
      atomicAdd(part[(word >> 8) & 255], 1);
      atomicAdd(part[(word >> 16) & 255], 1);
      atomicAdd(part[word >> 24], 1);
    }
  }
  barrier();
  atomicAdd(counts[lane], part[lane]);
}
