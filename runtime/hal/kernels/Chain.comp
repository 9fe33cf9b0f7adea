// Computes to[i] = from[next(i)] + step. It reads the value of another invocation, so that wrong
// results show if launches overlap.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer From { uint from[]; };
layout(set = 0, binding = 1) writeonly buffer To { uint to[]; };
layout(push_constant) uniform Parameters { uint count, step; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < count)
    to[i] = from[(i + 4097) % count] + step;
}
