// Specialization constants set the workgroup size and the length of arrays in workgroup memory.
//! for X,Y: 4,2 16,1 9,3 64,4
//! size X Y
//! spec 10 = X
//! spec 11 = Y
//! let S = X * Y
//! out uint r = np.array([g * 1000 + (S - 1 - i) for g in range(2) for i in range(S)])
layout(local_size_x_id = 10, local_size_y_id = 11, local_size_z = 1) in;
shared uint kept[gl_WorkGroupSize.x * gl_WorkGroupSize.y];
void main() {
  uint i = gl_LocalInvocationIndex, s = gl_WorkGroupSize.x * gl_WorkGroupSize.y;
  kept[i] = gl_WorkGroupID.x * 1000 + i;
  barrier();
  r[gl_WorkGroupID.x * s + i] = kept[s - 1 - i];
}
