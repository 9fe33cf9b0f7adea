// Does the same as BlockAddressed.comp.
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void run(global const uint *block) {
  global uint *to = (global uint *)*(global const ulong *)(block + 2);
  for (uint i = 0; i < block[0]; ++i)
    to[i] = block[i];
}
