#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
// Does the same as Mix, but uses addresses.
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint words[]; };
layout(push_constant) uniform Parameters { uvec2 result, a, b; uint count, factor, spin; };
#include "Mixing.glsl"

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < count)
    Words(result).words[i] = mixed(Words(a).words[i], Words(b).words[i], i, factor, spin);
}
