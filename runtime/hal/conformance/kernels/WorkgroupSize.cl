// Does the same as WorkgroupSize.comp. The launch gives the size.
kernel void run(global uint *result) {
  if (get_global_id(0) + get_global_id(1) + get_global_id(2) == 0)
    for (uint d = 0; d < 3; ++d)
      result[d] = get_local_size(d);
  atomic_add(&result[3], 1);
}
