// Does the same as Groups.comp.
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
run(global uint *visits, global uint *wrong, uint countX, uint countY) {
  size_t x = get_group_id(0), y = get_group_id(1), z = get_group_id(2);
  atomic_add(&visits[x + countX * (y + countY * z)], 1);
  if (get_global_id(0) != x || get_global_id(1) != y || get_global_id(2) != z)
    *wrong = 1;
}
