// OpenCL C; docs/spirv-to-llvm.md shows the code that it is lowered to.
#define SIZED kernel __attribute__((reqd_work_group_size(32, 1, 1)))

SIZED void arguments(global float *x, float scale, local float *own) {
  uint l = get_local_id(0);
  own[l] = x[get_global_id(0)] * scale;
  barrier(CLK_LOCAL_MEM_FENCE);
  x[get_global_id(0)] = own[get_local_size(0) - 1 - l];
}

SIZED void library(global float *x, global short *n) {
  size_t i = get_global_id(0);
  x[i] = cospi(x[i]);
  n[i] = add_sat(n[i], convert_short_sat_rte(x[i]));
}

SIZED void components(global const float *x, global float4 *out) {
  size_t i = get_global_id(0);
  float4 v = vload4(i, x);
  out[i] = select(v, v.wzyx, isgreater(v, 1.0f));
}

SIZED void totals(global int *x) {
  size_t i = get_global_id(0);
  x[i] = work_group_scan_inclusive_add(x[i]);
}

SIZED void copies(global const float *x, global float *out, local float *tile) {
  size_t n = get_local_size(0);
  event_t event = async_work_group_copy(tile, x + get_group_id(0) * n, n, 0);
  wait_group_events(1, &event);
  out[get_global_id(0)] = tile[get_local_id(0)];
}
