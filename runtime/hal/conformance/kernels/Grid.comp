#version 450
// Writes the grid size that the kernel sees.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) writeonly buffer Grid { uint grid[]; };

void main() {
  if (gl_WorkGroupID == uvec3(0)) {
    grid[0] = gl_NumWorkGroups.x;
    grid[1] = gl_NumWorkGroups.y;
    grid[2] = gl_NumWorkGroups.z;
  }
}
