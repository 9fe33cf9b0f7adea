#version 450
// The length of a buffer's array, and a message; docs/spirv-to-llvm.md shows what becomes of them.
#extension GL_EXT_debug_printf : enable
layout(local_size_x = 32) in;
layout(binding = 0) buffer Words { uint count; int words[]; };
void main() {
  uint n = words.length();
  if (gl_LocalInvocationIndex < n && words[gl_LocalInvocationIndex] < 0)
    debugPrintfEXT("word %u of %u is %d", gl_LocalInvocationIndex, n, words[gl_LocalInvocationIndex]);
}
