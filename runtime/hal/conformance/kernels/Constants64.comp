#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 1) in;
layout(constant_id = 10) const int64_t i = int64_t(-1);
layout(constant_id = 11) const uint64_t u = uint64_t(1);
layout(set = 0, binding = 0) writeonly buffer Result { uint result[]; };

void main() {
  // These are variables, because conversions of constants would need an extension.
  int64_t signedValue = i;
  uint64_t unsignedValue = u;
  result[0] = uint(signedValue);
  result[1] = uint(signedValue >> 32);
  result[2] = uint(unsignedValue);
  result[3] = uint(unsignedValue >> 32);
}
