#version 450
// Each group adds one to its own word, and writes what it believes the grid to be.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Visits { uint visits[]; };
layout(set = 0, binding = 1) buffer Grid { uint grid[]; };
layout(push_constant) uniform Parameters { uint countX, countY; };

void main() {
  uvec3 id = gl_WorkGroupID;
  atomicAdd(visits[id.x + countX * (id.y + countY * id.z)], 1);
  if (gl_GlobalInvocationID != id)
    grid[3] = 1;
  if (id == uvec3(0)) {
    grid[0] = gl_NumWorkGroups.x;
    grid[1] = gl_NumWorkGroups.y;
    grid[2] = gl_NumWorkGroups.z;
  }
}
