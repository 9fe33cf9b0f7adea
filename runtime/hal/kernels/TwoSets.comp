// Uses storage and uniform buffers in sets whose numbers have a gap.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 1) uniform Scale { uint scale; };
layout(set = 2, binding = 0) buffer Values { uint values[]; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < values.length())
    values[i] *= scale;
}
