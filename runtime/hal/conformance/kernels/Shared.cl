// Does the same as Shared.comp. The launch gives the memory, and a constant its length in words.
uint __attribute__((overloadable)) __spirv_SpecConstant(int id, uint value);

kernel __attribute__((reqd_work_group_size(32, 1, 1))) void run(global uint *data,
                                                                local uint *scratch) {
  uint count = __spirv_SpecConstant(3, 1u);
  for (uint i = get_local_id(0); i < count; i += 32)
    scratch[i] = data[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = get_local_id(0); i < count; i += 32)
    data[i] = scratch[count - 1 - i];
}
