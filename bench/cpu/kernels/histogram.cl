// The kernel of histogram.comp in OpenCL C.
__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void histogram(__global const uint *words, __global uint *counts, uint n) {
  __local uint part[256];
  uint lane = get_local_id(0);
  part[lane] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint first = get_group_id(0) * 4096 + lane;
  for (uint k = 0; k < 16; ++k) {
    uint i = first + k * 256;
    if (i < n) {
      uint word = words[i];
      atomic_add(&part[word & 255], 1);
      atomic_add(&part[(word >> 8) & 255], 1);
      atomic_add(&part[(word >> 16) & 255], 1);
      atomic_add(&part[word >> 24], 1);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&counts[lane], part[lane]);
}
