// Copies by a whole workgroup.
kernel void async_copy(global const float *in, global float *out, local float *t, uint n) {
  global const float *from = in + get_group_id(0) * n;
  event_t e = async_work_group_copy(t, from, n, 0);
  wait_group_events(1, &e);
  for (uint i = get_local_id(0); i < n / 2; i += get_local_size(0)) {
    float x = t[i];
    t[i] = t[n - 1 - i];
    t[n - 1 - i] = x;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  e = async_work_group_copy(out + get_group_id(0) * n, t, n, 0);
  wait_group_events(1, &e);
}
kernel void async_strided(global const int2 *in, global int2 *out, local int2 *t, uint n) {
  event_t e = async_work_group_strided_copy(t, in, n, 3, 0);
  wait_group_events(1, &e);
  e = async_work_group_strided_copy(out, (local const int2 *)t, n, 2, 0);
  wait_group_events(1, &e);
}
