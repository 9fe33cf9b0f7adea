// Writes the number of workgroups, times a constant that is fixed at compile time.
#version 450
layout(local_size_x = 1) in;
layout(constant_id = 7) const uint scale = 1;
layout(set = 0, binding = 3) buffer Out { uint result[]; };

void main() {
  if (gl_GlobalInvocationID.x == 0)
    result[0] = gl_NumWorkGroups.x * scale;
}
