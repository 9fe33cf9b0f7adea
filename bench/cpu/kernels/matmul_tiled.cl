// The kernel of matmul_tiled.comp in OpenCL C.
__attribute__((reqd_work_group_size(16, 16, 1)))
__kernel void matmul_tiled(__global const float *a, __global const float *b, __global float *c,
                           uint n) {
  __local float tileA[16][16], tileB[16][16];
  uint x = get_local_id(0), y = get_local_id(1);
  uint column = get_global_id(0), row = get_global_id(1);
  float sum = 0.0f;
  for (uint tile = 0; tile < n; tile += 16) {
    tileA[y][x] = a[row * n + tile + x];
    tileB[y][x] = b[(tile + y) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < 16; ++k)
      sum += tileA[y][k] * tileB[k][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = sum;
}
