// RUN: pumice-opt %s --pass-pipeline='builtin.module(gpu.module(pumice-carry-loop-results))' | FileCheck %s

// SPIR-V cannot select matrices. Those that stay matrices are chosen by a branch.
// CHECK-LABEL: gpu.func @native
// CHECK: %[[R:.+]] = scf.if %{{.+}} -> (!gpu.mma_matrix<16x16xf32, "COp">) {
// CHECK-NEXT: scf.yield
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield
// CHECK: gpu.subgroup_mma_store_matrix %[[R]]
gpu.module @m attributes {vk.target_env = #vk.target_env<v1.3, r(0), [VK_KHR_cooperative_matrix], {subgroupSize = 32 : i32, subgroupFeatures = 127 : i32, cooperativeMatrix, vulkanMemoryModel, cooperativeMatrixPropertiesKHR = ["16x16x16 f16 f16 f32 f32 subgroup"]}>} {
  gpu.func @native(%c: memref<16x16xf32>, %which: i1) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %A = gpu.subgroup_mma_constant_matrix %zero : !gpu.mma_matrix<16x16xf32, "COp">
    %B = gpu.subgroup_mma_load_matrix %c[%c0, %c0] {leadDimension = 16 : index} : memref<16x16xf32> -> !gpu.mma_matrix<16x16xf32, "COp">
    %R = arith.select %which, %A, %B : !gpu.mma_matrix<16x16xf32, "COp">
    gpu.subgroup_mma_store_matrix %R, %c[%c0, %c0] {leadDimension = 16 : index} : !gpu.mma_matrix<16x16xf32, "COp">, memref<16x16xf32>
    gpu.return
  }
}
