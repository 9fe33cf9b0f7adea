// Does the same as ConstantsDouble.comp.
double __attribute__((overloadable)) __spirv_SpecConstant(int id, double value);

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void run(global uint *result) {
  ulong bits = as_ulong(__spirv_SpecConstant(10, 0.5));
  result[0] = (uint)bits;
  result[1] = (uint)(bits >> 32);
}
