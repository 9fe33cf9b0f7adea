// A subgroup cannot load a matrix from private memory: such a web is emulated, even if the shape is native.
// RUN: pumice-opt %s --pass-pipeline='builtin.module(gpu.module(pumice-emulate-matrices))' | FileCheck %s

// CHECK-LABEL: gpu.func @private
// CHECK-NOT: subgroup_mma
// CHECK: memref.load
gpu.module @m attributes {vk.target_env = #vk.target_env<v1.3, r(0), [VK_KHR_cooperative_matrix], {cooperativeMatrix, shaderFloat16, vulkanMemoryModel, subgroupSize = 32 : i32, subgroupFeatures = 127 : i32, cooperativeMatrixPropertiesKHR = ["16x16x16 f16 f16 f16 f16 subgroup"]}>} {
  gpu.func @private(%o: memref<16x16xf16>) private(%p: memref<16x16xf16, #gpu.address_space<private>>) kernel {
    %c0 = arith.constant 0 : index
    %A = gpu.subgroup_mma_load_matrix %p[%c0, %c0] {leadDimension = 16 : index} : memref<16x16xf16, #gpu.address_space<private>> -> !gpu.mma_matrix<16x16xf16, "COp">
    gpu.subgroup_mma_store_matrix %A, %o[%c0, %c0] {leadDimension = 16 : index} : !gpu.mma_matrix<16x16xf16, "COp">, memref<16x16xf16>
    gpu.return
  }
}
