#version 450
// Steps of a store, a barrier and a load of another invocation's value: their slope is a barrier's
// cost.
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
