#version 450
// The product of matmul.comp, with tiles of 16 by 16 in workgroup memory.
layout(local_size_x = 16, local_size_y = 16) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) readonly buffer B { float b[]; };
layout(std430, binding = 2) writeonly buffer C { float c[]; };
layout(push_constant) uniform Push { uint n; };
shared float tileA[16][16], tileB[16][16];
void main() {
  uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
  uint column = gl_GlobalInvocationID.x, row = gl_GlobalInvocationID.y;
  float sum = 0.0;
  for (uint tile = 0; tile < n; tile += 16) {
    tileA[y][x] = a[row * n + tile + x];
    tileB[y][x] = b[(tile + y) * n + column];
    barrier();
    for (uint k = 0; k < 16; ++k)
      sum += tileA[y][k] * tileB[k][x];
    barrier();
  }
  c[row * n + column] = sum;
}
