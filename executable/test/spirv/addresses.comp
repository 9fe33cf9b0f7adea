#version 450
#extension GL_EXT_buffer_reference : require
// glslangValidator -V --target-env vulkan1.2 addresses.comp -o addresses.spv
layout(local_size_x = 4) in;
layout(buffer_reference) buffer List;
layout(buffer_reference, std430, buffer_reference_align = 8) buffer List { List next; int value; };
layout(push_constant) uniform Parameters { int addend; List first; };
void main() { first.next.value += addend; }
