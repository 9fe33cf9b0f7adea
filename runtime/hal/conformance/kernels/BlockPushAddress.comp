#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
// Does the same as BlockPush, but writes to the address that words 2 and 3 hold.
layout(local_size_x = 1) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint words[]; };
layout(push_constant) uniform Parameters { uint count, unused; uvec2 result; uint words[28]; };

void main() {
  Words to = Words(result);
  to.words[0] = count;
  to.words[1] = unused;
  to.words[2] = result.x;
  to.words[3] = result.y;
  for (uint i = 4; i < count; ++i)
    to.words[i] = words[i - 4];
}
