// The kernel of softmax.comp in OpenCL C.
__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void softmax(__global const float *x, __global float *y, uint columns) {
  __local float part[256];
  uint lane = get_local_id(0), row = get_group_id(0) * columns;
  float largest = -3.402823466e38f;
  for (uint i = lane; i < columns; i += 256)
    largest = max(largest, x[row + i]);
  part[lane] = largest;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint step = 128; step > 0; step >>= 1) {
    if (lane < step)
      part[lane] = max(part[lane], part[lane + step]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  largest = part[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0.0f;
  for (uint i = lane; i < columns; i += 256)
    sum += exp(x[row + i] - largest);
  part[lane] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint step = 128; step > 0; step >>= 1) {
    if (lane < step)
      part[lane] += part[lane + step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  float scale = 1.0f / part[0];
  for (uint i = lane; i < columns; i += 256)
    y[row + i] = exp(x[row + i] - largest) * scale;
}
