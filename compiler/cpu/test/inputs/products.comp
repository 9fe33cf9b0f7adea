#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer A { int16_t a[]; };
layout(set = 0, binding = 1) buffer B { int16_t b[]; };
layout(set = 0, binding = 2) buffer C { int c[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  c[i] = int(a[i]) * int(b[i]);
}
