// Does the same as Constants8.comp.
char __attribute__((overloadable)) __spirv_SpecConstant(int id, char value);
uchar __attribute__((overloadable)) __spirv_SpecConstant(int id, uchar value);

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void run(global uint *result) {
  result[0] = (uint)(int)__spirv_SpecConstant(10, (char)-1);
  result[1] = __spirv_SpecConstant(11, (uchar)1);
}
