// Does the same as Constants16.comp.
short __attribute__((overloadable)) __spirv_SpecConstant(int id, short value);
ushort __attribute__((overloadable)) __spirv_SpecConstant(int id, ushort value);

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void run(global uint *result) {
  result[0] = (uint)(int)__spirv_SpecConstant(10, (short)-1);
  result[1] = __spirv_SpecConstant(11, (ushort)1);
}
