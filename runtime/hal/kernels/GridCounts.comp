// Each workgroup computes its place from the number of workgroups, and writes that number there: as
// a whole, and one component by an index that is known only at run time.
#version 450
layout(local_size_x = 1) in;
layout(constant_id = 3) const uint mark = 1;
layout(set = 0, binding = 0) buffer Out { uvec4 result[]; };
layout(push_constant) uniform Parameters { uint component; };

uint placeOf(uvec3 id, uvec3 count) { return (id.z * count.y + id.y) * count.x + id.x; }

void main() {
  uint chosen = gl_NumWorkGroups[component];
  result[placeOf(gl_WorkGroupID, gl_NumWorkGroups)] = uvec4(gl_NumWorkGroups, chosen * mark);
}
