// Does the same as PrintAddressed.comp.
kernel __attribute__((reqd_work_group_size(4, 1, 1))) void run(global uint *printed,
                                                               uint capacity) {
  uint i = get_global_id(0), at = atomic_add(&printed[0], 6) + 1;
  if (at + 3 <= capacity) {
    printed[at] = 3u << 16 | 0u;
    printed[at + 1] = i;
    printed[at + 2] = as_uint(0.5f * (float)i);
  }
  if (at + 6 <= capacity) {
    printed[at + 3] = 3u << 16 | 1u;
    printed[at + 4] = i;
    printed[at + 5] = 1u;
  }
}
