#version 450
// Counts the steps until a point leaves the circle of radius 2, up to 256.
layout(local_size_x = 16, local_size_y = 16) in;
layout(std430, binding = 0) writeonly buffer Y { uint steps[]; };
layout(push_constant) uniform Push { uint n; };
void main() {
  uint px = gl_GlobalInvocationID.x, py = gl_GlobalInvocationID.y;
  float cx = -2.0 + 3.0 * float(px) / float(n), cy = -1.5 + 3.0 * float(py) / float(n);
  float x = 0.0, y = 0.0;
  uint count = 0;
  while (count < 256 && x * x + y * y <= 4.0) {
    float next = x * x - y * y + cx;
    y = 2.0 * x * y + cy;
    x = next;
    ++count;
  }
  steps[py * n + px] = count;
}
