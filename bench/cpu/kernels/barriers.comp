#version 450
// Each step stores, waits at a barrier, and loads another invocation's value. The slope over the
// steps is the cost of a barrier.
layout(local_size_x = 256) in;
layout(std430, binding = 0) buffer Y { uint y[]; };
layout(push_constant) uniform Push { uint steps; };
shared uint part[2][256];
void main() {
  uint lane = gl_LocalInvocationID.x, value = lane;
  for (uint k = 0; k < steps; ++k) {
    part[k & 1][lane] = value;
    barrier();
    value = part[k & 1][(lane + 1) & 255] + k;
  }
  y[gl_GlobalInvocationID.x] = value;
}
