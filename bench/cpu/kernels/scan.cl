// The kernel of scan.comp in OpenCL C.
__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void scan(__global const uint *x, __global uint *y, uint n) {
  __local uint part[2][256];
  uint lane = get_local_id(0), first = get_group_id(0) * 1024 + lane * 4;
  uint a = x[first], b = a + x[first + 1], c = b + x[first + 2], d = c + x[first + 3];
  uint from = 0;
  part[0][lane] = d;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint step = 1; step < 256; step <<= 1) {
    uint to = 1 - from;
    part[to][lane] = part[from][lane] + (lane >= step ? part[from][lane - step] : 0);
    from = to;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  uint before = part[from][lane] - d;
  y[first] = before + a;
  y[first + 1] = before + b;
  y[first + 2] = before + c;
  y[first + 3] = before + d;
}
