// The functions of names.mlir, as OpenCL C declares and clang names them.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define OVERLOADED __attribute__((overloadable))
typedef const __global void *from;
void OVERLOADED __spirv_Subgroup2DBlockLoadINTEL(int, int, int, int, from, int, int, int, int2, __private void *);
void OVERLOADED __spirv_Subgroup2DBlockLoadTransposeINTEL(int, int, int, int, from, int, int, int, int2, __private void *);
void OVERLOADED __spirv_Subgroup2DBlockLoadTransformINTEL(int, int, int, int, from, int, int, int, int2, __private void *);
void OVERLOADED __spirv_Subgroup2DBlockPrefetchINTEL(int, int, int, int, from, int, int, int, int2);
void OVERLOADED __spirv_Subgroup2DBlockStoreINTEL(int, int, int, int, const __private void *, __global void *, int, int, int, int2);
float8 OVERLOADED __spirv_SubgroupMatrixMultiplyAccumulateINTEL(int, short8, int8, float8, int);
float4 OVERLOADED __spirv_SubgroupMatrixMultiplyAccumulateINTEL(int, float2, float8, float4, int);
int8 OVERLOADED __spirv_SubgroupMatrixMultiplyAccumulateINTEL(int, short8, int8, int8, int);
int8 OVERLOADED __spirv_SubgroupMatrixMultiplyAccumulateINTEL(int, int8, int8, int8, int);
short2 OVERLOADED __spirv_SubgroupMatrixMultiplyAccumulateINTEL(int, short2, int8, short2, int);
half OVERLOADED __spirv_SubgroupMatrixMultiplyAccumulateINTEL(int, short, int8, half, int);

__kernel void all(__global float *f, __global int *i, __global uint *u, __global long *l, __global ulong *m,
                  __global half *h, __global double *d, __global char *c, __global short *s,
                  __global ushort *t, __global uchar *b, int2 xy, short8 s8, int8 i8, float8 f8) {
  private int8 part;
  *m = get_local_id(0) + get_group_id(0) + get_local_size(0) + get_num_groups(0);
  *u = get_sub_group_local_id() + get_sub_group_size() + get_sub_group_id() + get_num_sub_groups();
  barrier(CLK_LOCAL_MEM_FENCE);
  *c = sub_group_shuffle_xor(*c, *u);
  *s = sub_group_shuffle_up(*s, *u);
  *l = sub_group_shuffle_down(*l, *u);
  *h = sub_group_shuffle(*h, *u);
  *d = sub_group_broadcast(*d, *u);
  *u = sub_group_ballot(1).x;
  *f = sub_group_reduce_add(*f) + sub_group_non_uniform_reduce_min(*f);
  *i = sub_group_reduce_min(*i) + sub_group_non_uniform_reduce_xor(*i) + sub_group_scan_inclusive_add(*i);
  *m = sub_group_reduce_max(*m);
  *u = sub_group_non_uniform_reduce_min(*u);
  *l = sub_group_non_uniform_scan_exclusive_mul(*l);
  __spirv_Subgroup2DBlockLoadINTEL(2, 16, 8, 1, i, 1, 1, 1, xy, &part);
  __spirv_Subgroup2DBlockLoadTransposeINTEL(2, 16, 8, 1, i, 1, 1, 1, xy, &part);
  __spirv_Subgroup2DBlockLoadTransformINTEL(2, 16, 8, 1, i, 1, 1, 1, xy, &part);
  __spirv_Subgroup2DBlockPrefetchINTEL(2, 16, 8, 1, i, 1, 1, 1, xy);
  __spirv_Subgroup2DBlockStoreINTEL(2, 16, 8, 1, &part, i, 1, 1, 1, xy);
  f8 = __spirv_SubgroupMatrixMultiplyAccumulateINTEL(16, s8, i8, f8, 0);
  f8.lo = __spirv_SubgroupMatrixMultiplyAccumulateINTEL(8, f8.s01, f8, f8.lo, 0);
  i8 = __spirv_SubgroupMatrixMultiplyAccumulateINTEL(32, s8, i8, i8, 0);
  i8 = __spirv_SubgroupMatrixMultiplyAccumulateINTEL(32, i8, i8, i8, 0);
  s8.s01 = __spirv_SubgroupMatrixMultiplyAccumulateINTEL(16, s8.s01, i8, s8.s01, 0);
  *h = __spirv_SubgroupMatrixMultiplyAccumulateINTEL(16, s8.s0, i8, *h, 0);
  *u = intel_sub_group_block_read(u);
  intel_sub_group_block_write4(u, intel_sub_group_block_read4(u));
  intel_sub_group_block_write_us2(t, intel_sub_group_block_read_us2(t));
  intel_sub_group_block_write_uc16(b, intel_sub_group_block_read_uc16(b));
  intel_sub_group_block_write_ul(m, intel_sub_group_block_read_ul(m));
  vstore8(f8 + convert_float8(i8) + convert_float8(s8), 0, f);
}
