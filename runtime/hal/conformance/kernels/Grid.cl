// Does the same as Grid.comp.
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void run(global uint *grid) {
  if (get_group_id(0) + get_group_id(1) + get_group_id(2) == 0)
    for (uint d = 0; d < 3; ++d)
      grid[d] = get_num_groups(d);
}
