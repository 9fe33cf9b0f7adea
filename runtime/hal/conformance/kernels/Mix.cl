// Does the same as Mix.comp and MixAddress.comp.
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void
run(global uint *result, global uint *a, global uint *b, uint count, uint factor, uint spin) {
  uint i = get_global_id(0);
  if (i >= count)
    return;
  uint value = a[i] * factor + (b[i] ^ i);
  for (uint n = 0; n < spin; ++n)
    value = value * 1664525u + 1013904223u;
  result[i] = value;
}
