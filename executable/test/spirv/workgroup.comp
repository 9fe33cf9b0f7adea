#version 460
// glslangValidator -V --target-env vulkan1.1 workgroup.comp -o workgroup.spv
layout(local_size_x_id = 3, local_size_y = 2) in;
layout(constant_id = 1) const int rows = 4;
layout(constant_id = 2) const bool wide = false;
struct Cell { vec3 position; bool marked; };
shared float tile[rows * 2 + 1][gl_WorkGroupSize.x];
shared mat3x4 matrices[wide ? 10 : 2];
shared Cell cells[8];
shared int unused[1000];
layout(set = 0, binding = 0) buffer Y { float y[]; };
void main() {
  uint i = gl_LocalInvocationID.x;
  tile[1][i] = matrices[1][0].x;
  cells[i % 8].marked = true;
  barrier();
  y[i] = tile[rows][0] + cells[0].position.y;
}
