// Does the same as Constants64.comp.
long __attribute__((overloadable)) __spirv_SpecConstant(int id, long value);
ulong __attribute__((overloadable)) __spirv_SpecConstant(int id, ulong value);

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void run(global uint *result) {
  long i = __spirv_SpecConstant(10, -1l);
  ulong u = __spirv_SpecConstant(11, 1ul);
  result[0] = (uint)i;
  result[1] = (uint)(i >> 32);
  result[2] = (uint)u;
  result[3] = (uint)(u >> 32);
}
