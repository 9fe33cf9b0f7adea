kernel void sums(global const float *in, global float *out, local float *part, float scale) {
  uint l = get_local_id(0);
  part[l] = in[get_global_id(0)] * scale;
  for (uint s = get_local_size(0) / 2; s > 0; s /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < s)
      part[l] += part[l + s];
  }
  if (l == 0)
    out[get_group_id(0)] = part[0];
}
