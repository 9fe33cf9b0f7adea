#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
// Does the same as BlockPushAddress, but push constants hold the address of the block.
layout(local_size_x = 1) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint words[]; };
layout(push_constant) uniform Parameters { uvec2 block; };

void main() {
  Words from = Words(block);
  Words to = Words(uvec2(from.words[2], from.words[3]));
  for (uint i = 0; i < from.words[0]; ++i)
    to.words[i] = from.words[i];
}
