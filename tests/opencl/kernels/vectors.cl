// Vector types of 2, 3, 4, 8 and 16, conversions between types, and selections.
kernel void swizzle(global float4 *out, global const float8 *a) {
  size_t i = get_global_id(0);
  float8 x = a[i];
  float4 y = x.odd + x.hi.yxwz;
  y.xz = x.s70;
  out[i] = y;
}
kernel void three(global float *out, global const float3 *a) {
  size_t i = get_global_id(0);
  vstore3(a[i].zxy * 2.0f + (float3)(1, 2, 3), i, out);
}
kernel void packed_three(global float *out, global const float *a) {
  size_t i = get_global_id(0);
  vstore3(vload3(i, a).zyx + 1.0f, i, out);
}
kernel void sixteen(global int16 *out, global const int16 *a) {
  size_t i = get_global_id(0);
  int16 x = a[i];
  out[i] = (int16)(x.hi, x.lo) * 3 - x.sFEDCBA9876543210;
}
kernel void two(global long2 *out, global const uint2 *a) {
  size_t i = get_global_id(0);
  out[i] = convert_long2(a[i]) * (long2)(-3, 5);
}
kernel void chosen(global uchar8 *out, global const uchar8 *a, global const uchar8 *masks) {
  size_t i = get_global_id(0);
  out[i] = shuffle(a[i], masks[i]);
}
kernel void chosen2(global uint4 *out, global const uint4 *a, global const uint4 *b,
                    global const uint4 *masks) {
  size_t i = get_global_id(0);
  out[i] = shuffle2(a[i], b[i], masks[i]);
}
kernel void selected(global float4 *out, global const float4 *a, global const float4 *b) {
  size_t i = get_global_id(0);
  float4 x = a[i], y = b[i];
  int4 less = x < y; // any() and all() of such are not valid as clang 22 writes them
  int some = less.x | less.y | less.z | less.w, each = less.x & less.y & less.z & less.w;
  out[i] = select(x, y, isgreater(y, x)) + (some ? 100.0f : 0.0f) + (each ? 1000.0f : 0.0f);
}
kernel void indexed(global int *out, global const int *a) {
  size_t i = get_global_id(0);
  int8 x = vload8(0, a);
  int values[8];
  vstore8(x, 0, values);
  values[i & 7] += 100;
  out[i] = values[(i * 3) & 7] + values[i & 7];
}
kernel void saturated(global char *out, global const float *a) {
  size_t i = get_global_id(0);
  out[i] = convert_char_sat_rte(a[i]);
}
kernel void rounded(global int4 *out, global const float *a) {
  size_t i = get_global_id(0);
  float x = a[i];
  out[i] = (int4)(convert_int_rte(x), convert_int_rtz(x), convert_int_rtp(x), convert_int_rtn(x));
}
kernel void narrowed(global uchar4 *out, global const int4 *a) {
  size_t i = get_global_id(0);
  out[i] = convert_uchar4_sat(a[i]);
}
kernel void reinterpreted(global uint *out, global const float *a) {
  size_t i = get_global_id(0);
  ushort2 parts = as_ushort2(a[i]);
  out[i] = as_uint(a[i]) ^ parts.y;
}
kernel void from_long(global float *out, global const long *a) {
  size_t i = get_global_id(0);
  out[i] = convert_float(a[i]) + (float)(uint)a[i];
}
kernel void doubles(global double2 *out, global const float2 *a) {
  size_t i = get_global_id(0);
  double2 x = (double2)(a[i].x, a[i].y);
  out[i] = x * x + (double2)(0.1, 0.2);
}
kernel void floats_of_doubles(global float4 *out, global const double *a) {
  size_t i = get_global_id(0);
  double x = a[i];
  out[i] = (float4)(convert_float_rte(x), convert_float_rtz(x), convert_float_rtp(x),
                    convert_float_rtn(x));
}
kernel void rounded_integers(global float4 *out, global const long *a) {
  size_t i = get_global_id(0);
  long x = a[i];
  int y = (int)(x >> 16);
  out[i] = (float4)(convert_float_rtz(x), convert_float_rtp(x), convert_float_rtn(x),
                    convert_float_rtz(y));
}
