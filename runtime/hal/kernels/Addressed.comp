// Adds 1 to words that the kernel only accesses by their address.
#version 450
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint word[]; };
layout(push_constant) uniform Parameters { Words words; uint count; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < count)
    words.word[i] += 1;
}
