#version 450
// glslangValidator -V aliases.comp -o aliases.spv
// Declares several variables for one descriptor, which Vulkan allows.
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) readonly buffer Floats { float f[]; } floats;
layout(set = 0, binding = 0) writeonly buffer Words { uint head; uint i[]; } words;
layout(set = 0, binding = 1) readonly buffer From { float same[]; } from;
layout(set = 0, binding = 1) writeonly buffer To { float same[]; } to;
void main() {
  uint k = gl_GlobalInvocationID.x;
  words.i[k] = uint(floats.f[k + 1]) + 7u;
  to.same[k] = from.same[k] * 2.0;
}
