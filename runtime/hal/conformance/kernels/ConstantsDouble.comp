#version 450
layout(local_size_x = 1) in;
layout(constant_id = 10) const double d = 0.5;
layout(set = 0, binding = 0) writeonly buffer Result { uint result[]; };

void main() {
  uvec2 halves = unpackDouble2x32(d);
  result[0] = halves.x;
  result[1] = halves.y;
}
