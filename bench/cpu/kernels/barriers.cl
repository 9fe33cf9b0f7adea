// The kernel of barriers.comp in OpenCL C.
__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void barriers(__global uint *y, uint steps) {
  __local uint part[2][256];
  uint lane = get_local_id(0), value = lane;
  for (uint k = 0; k < steps; ++k) {
    part[k & 1][lane] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    value = part[k & 1][(lane + 1) & 255] + k;
  }
  y[get_global_id(0)] = value;
}
