kernel void scale(global float *x, float factor) {
  size_t i = get_global_id(0);
  x[i] = x[i] * factor;
}
