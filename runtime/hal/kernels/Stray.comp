// Copies words from one address to another, even from outside of buffers.
#version 450
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint word[]; };
layout(push_constant) uniform Parameters { Words from; Words to; uint count; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < count)
    to.word[i] = from.word[i];
}
