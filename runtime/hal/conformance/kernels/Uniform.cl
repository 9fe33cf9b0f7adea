// Does the same as Uniform.comp.
kernel __attribute__((reqd_work_group_size(16, 1, 1))) void run(constant uint *values,
                                                                global uint *result) {
  uint i = get_global_id(0);
  result[i] = values[i] + i;
}
