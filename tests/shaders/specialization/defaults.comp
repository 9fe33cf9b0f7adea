// No specialization constants are given, so the shader's default sizes apply.
//! size 8 4
//! out uint r = [g * 32 + i for g in range(2) for i in range(32)]
layout(local_size_x_id = 10, local_size_y_id = 11, local_size_z = 1) in;
layout(local_size_x = 8, local_size_y = 4) in;
void main() {
  uint i = gl_LocalInvocationIndex;
  r[gl_WorkGroupID.x * 32 + i] = gl_WorkGroupID.x * 32 + i;
}
