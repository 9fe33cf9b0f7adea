// Does the same as Follow.comp.
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void run(global const ulong *head,
                                                                uint buffers, uint count) {
  uint i = get_global_id(0);
  if (i >= count)
    return;
  for (uint n = 0; n < buffers; ++n) {
    global uint *target = (global uint *)head[n];
    target[i] = target[i] * 3 + 1;
  }
}
