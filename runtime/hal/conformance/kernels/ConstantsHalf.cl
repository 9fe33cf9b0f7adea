// Does the same as ConstantsHalf.comp.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
half __attribute__((overloadable)) __spirv_SpecConstant(int id, half value);

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void run(global uint *result) {
  result[0] = as_uint((float)__spirv_SpecConstant(10, (half)0.5f));
}
