#version 450
// Copies the first `count` words of a launch's parameter block. Word 0 is `count`.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) writeonly buffer Result { uint result[]; };
layout(push_constant) uniform Parameters { uint count; uint words[31]; };

void main() {
  result[0] = count;
  for (uint i = 1; i < count; ++i)
    result[i] = words[i - 1];
}
