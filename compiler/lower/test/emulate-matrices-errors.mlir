// RUN: pumice-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(pumice-emulate-matrices))'

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.3, r(0), [], {subgroupSize = 64 : i32, subgroupFeatures = 127 : i32}>} {
  gpu.func @too_small(%a: memref<4x4xf32>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @below {{no subgroup size of the target (64) divides the kernel's matrices: '!gpu.mma_matrix<4x4xf32, "COp">'}}
    %A = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 4 : index} : memref<4x4xf32> -> !gpu.mma_matrix<4x4xf32, "COp">
    gpu.subgroup_mma_store_matrix %A, %a[%c0, %c0] {leadDimension = 4 : index} : !gpu.mma_matrix<4x4xf32, "COp">, memref<4x4xf32>
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.3, r(0), [], {subgroupSize = 32 : i32, subgroupFeatures = 127 : i32}>} {
  gpu.func @partial(%a: memref<8x8xf32>) kernel attributes {known_block_size = array<i32: 48, 1, 1>} {
    %c0 = arith.constant 0 : index
    // expected-error @below {{no subgroup size of the target (32) divides the workgroup's 48 invocations along x and the kernel's matrices}}
    %A = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 8 : index} : memref<8x8xf32> -> !gpu.mma_matrix<8x8xf32, "COp">
    gpu.subgroup_mma_store_matrix %A, %a[%c0, %c0] {leadDimension = 8 : index} : !gpu.mma_matrix<8x8xf32, "COp">, memref<8x8xf32>
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.3, r(0), [], {subgroupSize = 32 : i32, subgroupFeatures = 127 : i32}>} {
  gpu.func @vectors(%a: memref<8x2xvector<4xf16>>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @below {{from memory of 'vector<4xf16>' cannot be emulated: use a memref of the matrix's element type}}
    %A = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 8 : index} : memref<8x2xvector<4xf16>> -> !gpu.mma_matrix<8x8xf16, "COp">
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.3, r(0), [], {subgroupSize = 32 : i32, subgroupFeatures = 127 : i32}>} {
  gpu.func @index(%a: memref<8x8xf16>) kernel {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %A = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 8 : index} : memref<8x8xf16> -> !gpu.mma_matrix<8x8xf16, "COp">
    // expected-error @below {{index 2 is outside of the 2 elements that a lane holds}}
    %e = gpu.subgroup_mma_extract_thread_local %A[%c2] : !gpu.mma_matrix<8x8xf16, "COp"> -> f16
    gpu.return
  }
}
