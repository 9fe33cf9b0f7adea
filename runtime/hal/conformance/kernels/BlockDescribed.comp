#version 450
// Does the same as BlockPush, but the block is bound as a storage buffer.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) writeonly buffer Result { uint result[]; };
layout(set = 1, binding = 1) readonly buffer Block { uint words[]; };

void main() {
  for (uint i = 0; i < words[0]; ++i)
    result[i] = words[i];
}
