#version 450
// Prints the length of a buffer's array; docs/spirv-to-llvm.md shows the lowered code.
#extension GL_EXT_debug_printf : enable
layout(local_size_x = 32) in;
layout(binding = 0) buffer Words { uint count; int words[]; };
void main() {
  uint n = words.length();
  if (gl_LocalInvocationIndex < n && words[gl_LocalInvocationIndex] < 0)
    debugPrintfEXT("word %u of %u is %d", gl_LocalInvocationIndex, n, words[gl_LocalInvocationIndex]);
}
