// clang-22 --target=spirv64 -x cl -cl-std=CL3.0 -O2 -fno-discard-value-names -c kernels.cl -o kernels.spv
typedef float float3 __attribute__((ext_vector_type(3)));
typedef struct {
  char tag;
  float3 place;
  struct {
    short pair[2];
    double weight;
  } inner;
} Record;
kernel void everything(global float *x, char c, local int *t, float3 v, Record record, float last) {
  x[0] = c + t[0] + v.y + record.tag + record.place.z + record.inner.pair[1] + last +
         (float)record.inner.weight;
}
kernel __attribute__((reqd_work_group_size(4, 2, 1))) void sized(global int *out, int n) {
  *out = n;
}
