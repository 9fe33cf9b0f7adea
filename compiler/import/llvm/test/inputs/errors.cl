//--- recursion.cl
__attribute__((noinline)) int f(int n) {
  return n < 2 ? n : f(n - 1) + f(n - 2);
}
kernel void k(global int *x) { x[0] = f(x[0]); }
//--- variable.cl
global int total;
kernel void k(global int *x) { x[0] = ++total; }
//--- image.cl
kernel void k(read_only image2d_t i, global float4 *x) { x[0] = read_imagef(i, (int2)(0, 0)); }
//--- function.cl
float other(float);
kernel void k(global float *x) {
  x[0] = other(x[0]);
}
//--- plain.cl
kernel void k(global int *x) { x[0] = 1; }
//--- empty.ll
target triple = "spirv64"
define spir_func void @f() { ret void }
