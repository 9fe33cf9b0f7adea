// Reads and writes at indices from a buffer, which may be out of range. `mode` selects the access
// pattern.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer Indices { int index[]; };
layout(set = 0, binding = 1) readonly buffer From { uint from[]; };
layout(set = 0, binding = 2) buffer To { uint to[]; };
layout(set = 0, binding = 3) writeonly buffer Seen { uint seen[]; };
layout(set = 0, binding = 4) readonly buffer Fours { uvec4 four[]; };
layout(push_constant) uniform Parameters { int mode, shift; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  int at = index[i];
  if (mode == 0) { // each lane has its own index: gathers and scatters
    seen[i] = from[at];
    to[at] = i;
  } else if (mode == 1) { // consecutive indices, which may cross either end
    seen[i] = from[int(i) + shift];
    to[int(i) + shift] = i;
  } else if (mode == 2) { // the same index for all lanes
    seen[i] = from[shift];
    to[shift] = 7;
  } else if (mode == 3) {
    seen[i] = atomicAdd(to[at], 1) + atomicCompSwap(to[at + shift], 1000000, 5);
  } else { // several scalars at once
    uvec4 all = four[at];
    seen[i] = all.x + all.y + all.z + all.w;
  }
}
