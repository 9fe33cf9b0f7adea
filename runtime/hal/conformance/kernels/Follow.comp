#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
// Accesses memory that no argument names. `head` holds the addresses of buffers. Each word of these
// is multiplied by 3, and 1 is added.
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint words[]; };
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Head { uvec2 next[]; };
layout(push_constant) uniform Parameters { uvec2 head; uint buffers, count; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= count)
    return;
  for (uint n = 0; n < buffers; ++n) {
    Words target = Words(Head(head).next[n]);
    target.words[i] = target.words[i] * 3 + 1;
  }
}
