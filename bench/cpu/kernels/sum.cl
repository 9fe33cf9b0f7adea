// The kernel of sum.comp in OpenCL C.
__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void sum(__global const float *x, __global float *sums, uint n) {
  __local float part[256];
  uint lane = get_local_id(0), i = get_global_id(0);
  part[lane] = i < n ? x[i] : 0.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint step = 128; step > 0; step >>= 1) {
    if (lane < step)
      part[lane] += part[lane + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (lane == 0)
    sums[get_group_id(0)] = part[0];
}
