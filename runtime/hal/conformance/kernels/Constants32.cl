// Does the same as Constants32.comp.
int __attribute__((overloadable)) __spirv_SpecConstant(int id, int value);
uint __attribute__((overloadable)) __spirv_SpecConstant(int id, uint value);
float __attribute__((overloadable)) __spirv_SpecConstant(int id, float value);
bool __attribute__((overloadable)) __spirv_SpecConstant(int id, bool value);

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void run(global uint *result) {
  result[0] = (uint)__spirv_SpecConstant(10, -1);
  result[1] = __spirv_SpecConstant(11, 1u);
  result[2] = as_uint(__spirv_SpecConstant(12, 0.5f));
  result[3] = __spirv_SpecConstant(13, (bool)true) ? 1 : 0;
  result[4] = __spirv_SpecConstant(14, (bool)false) ? 1 : 0;
}
