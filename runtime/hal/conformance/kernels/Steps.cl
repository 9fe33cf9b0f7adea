// Does the same as Steps.comp.
uint __attribute__((overloadable)) __spirv_SpecConstant(int id, uint value);

kernel __attribute__((reqd_work_group_size(64, 1, 1))) void run(global uint *result) {
  uint i = get_global_id(0), value = i, steps = __spirv_SpecConstant(0, 1u);
  for (uint step = 0; step < steps; ++step)
    value = value * 1664525u + (i ^ step) * 7u;
  result[i] = value;
}
