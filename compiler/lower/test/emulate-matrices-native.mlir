// RUN: pumice-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(pumice-emulate-matrices{require-native=true}))'

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.3, r(0), [VK_KHR_cooperative_matrix], {subgroupSize = 32 : i32, subgroupFeatures = 127 : i32, cooperativeMatrix, vulkanMemoryModel, cooperativeMatrixPropertiesKHR = ["16x16x16 f16 f16 f32 f32 subgroup"]}>} {
  gpu.func @shape(%a: memref<8x8xf32>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @below {{giving '!gpu.mma_matrix<8x8xf32, "COp">' is not among the target's cooperativeMatrix shapes}}
    %A = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 8 : index} : memref<8x8xf32> -> !gpu.mma_matrix<8x8xf32, "COp">
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.3, r(0), [VK_NV_cooperative_matrix], {subgroupSize = 32 : i32, subgroupFeatures = 127 : i32}>} {
  gpu.func @nv(%a: memref<8x8xf32>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @below {{'gpu.subgroup_mma_load_matrix' needs the feature cooperativeMatrix, which the target lacks; it has VK_NV_cooperative_matrix only}}
    %A = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 8 : index} : memref<8x8xf32> -> !gpu.mma_matrix<8x8xf32, "COp">
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.3, r(0), [VK_KHR_cooperative_matrix], {subgroupSize = 32 : i32, subgroupFeatures = 127 : i32, cooperativeMatrix, vulkanMemoryModel, cooperativeMatrixPropertiesKHR = ["16x16x16 f16 f16 f32 f32 subgroup"]}>} {
  gpu.func @partial(%c: memref<16x16xf32>) kernel attributes {known_block_size = array<i32: 16, 4, 1>} {
    %x = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    // expected-error @below {{cooperative matrices need workgroups of whole subgroups along x, but 16 is not a multiple of 32, the least subgroup size of the target (minSubgroupSize): change known_block_size}}
    %C = gpu.subgroup_mma_constant_matrix %x : !gpu.mma_matrix<16x16xf32, "COp">
    gpu.subgroup_mma_store_matrix %C, %c[%c0, %c0] {leadDimension = 16 : index} : !gpu.mma_matrix<16x16xf32, "COp">, memref<16x16xf32>
    gpu.return
  }
}
