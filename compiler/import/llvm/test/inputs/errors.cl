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
//--- arguments.ll
target triple = "spirv64"
define spir_kernel void @k(ptr addrspace(1) %p) {
  %i = call spir_func i64 @_Z13get_global_idj()
  store i64 %i, ptr addrspace(1) %p
  ret void
}
declare spir_func i64 @_Z13get_global_idj()
//--- pointer.ll
target triple = "spirv64"
define spir_kernel void @k(ptr addrspace(1) %p) {
  %i = call spir_func i32 @_Z10atomic_addPU3AS1Vii(i32 1, i32 2)
  store i32 %i, ptr addrspace(1) %p
  ret void
}
declare spir_func i32 @_Z10atomic_addPU3AS1Vii(i32, i32)
//--- result.ll
target triple = "spirv64"
define spir_kernel void @k(ptr addrspace(1) %p) {
  call spir_func void @_Z11atomic_loadPU3AS1VU7_Atomici(ptr addrspace(1) %p)
  ret void
}
declare spir_func void @_Z11atomic_loadPU3AS1VU7_Atomici(ptr addrspace(1))
//--- vector.ll
target triple = "spirv64"
define spir_kernel void @k(ptr addrspace(1) %p) {
  %v = call spir_func <3 x float> @_Z11atomic_loadPU3AS1VU7_Atomici(ptr addrspace(1) %p)
  store <3 x float> %v, ptr addrspace(1) %p
  ret void
}
declare spir_func <3 x float> @_Z11atomic_loadPU3AS1VU7_Atomici(ptr addrspace(1))
//--- fract.ll
target triple = "spirv64"
define spir_kernel void @k(ptr addrspace(1) %p) {
  %i = call spir_func i32 @_Z5fractfPU3AS1f(float 1.5, ptr addrspace(1) %p)
  store i32 %i, ptr addrspace(1) %p
  ret void
}
declare spir_func i32 @_Z5fractfPU3AS1f(float, ptr addrspace(1))
//--- unmangled.ll
target triple = "spirv64"
define spir_kernel void @k(ptr addrspace(1) %p) {
  %i = call spir_func i64 @get_global_id()
  store i64 %i, ptr addrspace(1) %p
  ret void
}
declare spir_func i64 @get_global_id()
//--- metadata.ll
target triple = "spirv64"
define spir_kernel void @k(ptr addrspace(1) %p) !reqd_work_group_size !0 {
  ret void
}
!0 = !{null, i32 8, i32 8}
