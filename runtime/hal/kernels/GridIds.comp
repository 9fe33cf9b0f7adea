// Each invocation writes its position in the grid, and marks that it ran.
#version 450
layout(local_size_x = 4, local_size_y = 2, local_size_z = 1) in;
layout(set = 0, binding = 0) buffer Ids { uint ids[]; };
layout(set = 0, binding = 1) buffer Visits { uint visits[]; };
layout(push_constant) uniform Parameters { uint width, height; };

void main() {
  uvec3 id = gl_GlobalInvocationID;
  uint at = (id.z * height + id.y) * width + id.x;
  ids[at] = gl_WorkGroupID.x | gl_WorkGroupID.y << 10 | gl_WorkGroupID.z << 20;
  atomicAdd(visits[at], 1);
}
