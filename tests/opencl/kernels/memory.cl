// Address spaces, structs, arrays, half, pointers.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef struct {
  char tag;
  int4 numbers;
  short pair[2];
  struct {
    double weight;
    uchar flag;
  } inner;
} Record;

kernel void records(global Record *out, global const Record *in, Record own) {
  size_t i = get_global_id(0);
  Record r = in[i];
  r.tag += own.tag;
  r.numbers = r.numbers.yxwz + own.numbers;
  r.pair[i & 1] += own.pair[1];
  r.inner.weight *= own.inner.weight;
  r.inner.flag ^= own.inner.flag;
  out[i] = r;
}
typedef struct __attribute__((packed)) {
  uchar tag;
  int number;
  ushort last;
} Packed;
kernel void packed_records(global int *out, global const Packed *in) {
  size_t i = get_global_id(0);
  out[i] = in[i].number + in[i].tag * in[i].last;
}
constant int table[10] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3};
constant float rows[2][3] = {{1, 2, 3}, {4, 5, 6}};
kernel void constants(global float *out, constant int *given) {
  size_t i = get_global_id(0);
  out[i] = table[i % 10] + rows[i & 1][i % 3] * given[i & 3];
}
kernel void private_array(global int *out, int n) {
  size_t i = get_global_id(0);
  int values[16];
  for (int k = 0; k < 16; ++k)
    values[k] = (k * 7 + (int)i) & 15;
  int sum = 0;
  for (int k = 0; k < n; ++k)
    sum = sum * 3 + values[values[k & 15]];
  out[i] = sum;
}
kernel void pointers(global int *out, global int *a, int n) {
  size_t i = get_global_id(0);
  global int *p = a + n, *q = &a[i];
  out[i] = (int)(p - q) + (p > q ? 1000 : 0) + *(p - 1) + q[n - 1 - (int)i];
}
int through(int *p, int n) {
  for (int k = 0; k < n; ++k)
    p[k] += k;
  return p[n - 1];
}
kernel void escaping(global int *out) {
  size_t i = get_global_id(0);
  int values[4] = {1, 2, 3, (int)i}, other[4] = {5, 6, 7, 8};
  int *p = i & 1 ? values : other;
  out[i] = through(p, 3) * 100 + p[3] * 10 + values[1];
}
kernel void generic_space(global int *out, global int *a, local int *t) {
  int l = get_local_id(0);
  size_t i = get_global_id(0);
  t[l] = 2 * l;
  barrier(CLK_LOCAL_MEM_FENCE);
  int own = 7;
  int *p = l % 3 == 0 ? (int *)&t[l] : l % 3 == 1 ? (int *)&a[i] : &own;
  out[i] = *p;
}
kernel void halves(global half *out, global const half *a, global const half *b) {
  size_t i = get_global_id(0);
  out[i] = a[i] * b[i] + sqrt(fabs(a[i]));
}
kernel void half_vectors(global half4 *out, global const half4 *a) {
  size_t i = get_global_id(0);
  half4 x = a[i];
  out[i] = fma(x, x.wzyx, (half4)(0.5h)) + (half4)((int)x.x, (int)x.y, (int)x.z, (int)x.w);
}
kernel void load_halves(global float *out, global const half *a) {
  size_t i = get_global_id(0);
  float4 x = vload_half4(i, a);
  vstore4(x + vload_half(i, a), i, out);
}
kernel void store_halves(global half *out, global const float *a) {
  size_t i = get_global_id(0);
  vstore_half_rte(a[i], 4 * i, out);
  vstore_half_rtz(a[i], 4 * i + 1, out);
  vstore_half_rtp(a[i], 4 * i + 2, out);
  vstore_half_rtn(a[i], 4 * i + 3, out);
}
kernel void aligned_halves(global half *out, global const half *a) {
  size_t i = get_global_id(0);
  vstorea_half3(vload_half3(i, a) * 2.0f, i, out);
}
