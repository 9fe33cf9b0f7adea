#version 450
// Specialization sets the workgroup size. Word 3 counts the invocations that ran.
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };

void main() {
  if (gl_LocalInvocationIndex == 0 && gl_WorkGroupID == uvec3(0)) {
    result[0] = gl_WorkGroupSize.x;
    result[1] = gl_WorkGroupSize.y;
    result[2] = gl_WorkGroupSize.z;
  }
  atomicAdd(result[3], 1);
}
