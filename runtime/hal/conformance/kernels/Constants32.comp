#version 450
// Tests specialization constants of 32 bits, and a boolean.
layout(local_size_x = 1) in;
layout(constant_id = 10) const int i = -1;
layout(constant_id = 11) const uint u = 1;
layout(constant_id = 12) const float f = 0.5;
layout(constant_id = 13) const bool yes = true;
layout(constant_id = 14) const bool no = false;
layout(set = 0, binding = 0) writeonly buffer Result { uint result[]; };

void main() {
  result[0] = uint(i);
  result[1] = u;
  result[2] = floatBitsToUint(f);
  result[3] = yes ? 1 : 0;
  result[4] = no ? 1 : 0;
}
