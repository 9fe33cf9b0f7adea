// RUN: pumice-opt %s --pass-pipeline='builtin.module(any(pumice-wrap-spirv))' | FileCheck %s
// RUN: pumice-opt %s --pass-pipeline='builtin.module(any(pumice-wrap-spirv{name=other index-bitwidth=64}))' | FileCheck %s --check-prefix=OTHER
// The name comes from the module around the functions, and the models from its target and index.

module {
  // CHECK: gpu.module @kernels
  // CHECK-NEXT: spirv.module @__spv__kernels Physical64 OpenCL attributes {spirv.target_env = {{.*}}} {
  // CHECK-NEXT: spirv.GlobalVariable @v
  // CHECK-NEXT: spirv.func @f
  // OTHER: spirv.module @__spv__other Physical64 OpenCL
  gpu.module @kernels attributes {
      dlti.dl_spec = #dlti.dl_spec<index = 64 : i32>,
      spirv.target_env = #spirv.target_env<#spirv.vce<v1.2, [Addresses, Kernel], []>, #spirv.resource_limits<>>} {
    spirv.GlobalVariable @v : !spirv.ptr<i32, CrossWorkgroup>
    spirv.func @f() "None" {
      spirv.Return
    }
  }
  // CHECK: module {
  // CHECK-NEXT: spirv.module @__spv__ Logical GLSL450 {
  // OTHER: spirv.module @__spv__other Logical GLSL450 {
  module {
    spirv.func @g() "None" {
      spirv.Return
    }
  }
}
