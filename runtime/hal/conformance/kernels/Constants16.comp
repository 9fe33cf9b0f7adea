#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 1) in;
layout(constant_id = 10) const int16_t i = int16_t(-1);
layout(constant_id = 11) const uint16_t u = uint16_t(1);
layout(set = 0, binding = 0) writeonly buffer Result { uint result[]; };

void main() {
  // These are variables, because conversions of constants would need an extension.
  int16_t signedValue = i;
  uint16_t unsignedValue = u;
  result[0] = uint(int(signedValue));
  result[1] = uint(unsignedValue);
}
