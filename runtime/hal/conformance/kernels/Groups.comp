#version 450
// Each workgroup adds one to its own word.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Visits { uint visits[]; };
layout(set = 0, binding = 1) buffer Wrong { uint wrong; };
layout(push_constant) uniform Parameters { uint countX, countY; };

void main() {
  uvec3 id = gl_WorkGroupID;
  atomicAdd(visits[id.x + countX * (id.y + countY * id.z)], 1);
  if (gl_GlobalInvocationID != id)
    wrong = 1;
}
