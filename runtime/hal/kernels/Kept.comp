// Each invocation has an array of 100 numbers, and reads it at an index that is known only at run
// time.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer To { uint to[]; };

void main() {
  uint kept[100];
  for (uint i = 0; i < 100; ++i)
    kept[i] = to[i] * 3;
  to[gl_GlobalInvocationID.x] = kept[to[gl_GlobalInvocationID.x] % 100];
}
