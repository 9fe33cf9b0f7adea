#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 1) in;
layout(constant_id = 10) const float16_t f = float16_t(0.5);
layout(set = 0, binding = 0) writeonly buffer Result { uint result[]; };

void main() { result[0] = floatBitsToUint(float(f)); }
