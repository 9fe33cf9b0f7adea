// Does the same as Subgroups.comp.
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void run(global uint *result) {
  if (get_local_id(0) == 0) {
    result[0] = get_max_sub_group_size();
    result[1] = get_num_sub_groups();
  }
}
