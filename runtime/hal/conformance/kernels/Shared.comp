#version 450
// Reverses `count` words through workgroup memory, whose length is a specialization constant.
layout(local_size_x = 32) in;
layout(constant_id = 3) const uint count = 1;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
shared uint scratch[count];

void main() {
  for (uint i = gl_LocalInvocationID.x; i < count; i += 32)
    scratch[i] = data[i];
  barrier();
  for (uint i = gl_LocalInvocationID.x; i < count; i += 32)
    data[i] = scratch[count - 1 - i];
}
