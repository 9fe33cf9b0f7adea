// The kernel of matmul.comp in OpenCL C.
__attribute__((reqd_work_group_size(16, 16, 1)))
__kernel void matmul(__global const float *a, __global const float *b, __global float *c, uint n) {
  uint column = get_global_id(0), row = get_global_id(1);
  float sum = 0.0f;
  for (uint k = 0; k < n; ++k)
    sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}
