#version 460
#extension GL_EXT_shared_memory_block : require
// glslangValidator -V --target-env vulkan1.2 sharedblocks.comp -o sharedblocks.spv
layout(local_size_x = 8) in;
shared First { layout(offset = 16) uint words[8]; } first;
shared Second { uvec4 words[5]; } second;
layout(set = 0, binding = 0) buffer Y { uint y[]; };
void main() {
  first.words[gl_LocalInvocationID.x] = y[0];
  barrier();
  y[gl_LocalInvocationID.x] = second.words[1].x;
}
