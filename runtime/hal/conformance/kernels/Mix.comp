#version 450
#extension GL_GOOGLE_include_directive : require
// Computes result[i] = mixed(a[i], b[i]), through descriptors. `result` may be `a` or `b`. `spin`
// makes it slow.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };
layout(set = 0, binding = 1) buffer A { uint a[]; };
layout(set = 0, binding = 2) buffer B { uint b[]; };
layout(push_constant) uniform Parameters { uint count, factor, spin; };
#include "Mixing.glsl"

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < count)
    result[i] = mixed(a[i], b[i], i, factor, spin);
}
