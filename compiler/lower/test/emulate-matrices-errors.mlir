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
    // expected-error @below {{and memory of 'vector<4xf16>': use a memref of the matrix's element type}}
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

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.3, r(0), [], {subgroupSize = 32 : i32, subgroupFeatures = 127 : i32}>} {
  gpu.func @lead(%a: memref<?xf32>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @below {{leadDimension is -1, but must be from 0 to 2147483647: keep the rows of a matrix closer together}}
    %A = gpu.subgroup_mma_load_matrix %a[%c0] {leadDimension = -1 : index} : memref<?xf32> -> !gpu.mma_matrix<8x8xf32, "COp">
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.3, r(0), [], {subgroupSize = 32 : i32, subgroupFeatures = 127 : i32}>} {
  gpu.func @lead(%a: memref<?xf32>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @below {{leadDimension is 2147483648, but must be from 0 to 2147483647: keep the rows of a matrix closer together}}
    %A = gpu.subgroup_mma_load_matrix %a[%c0] {leadDimension = 2147483648 : index} : memref<?xf32> -> !gpu.mma_matrix<8x8xf32, "COp">
    gpu.return
  }
}

// -----

// The target numbers the lanes, but has no subgroup operations.
gpu.module @m attributes {vk.target_env = #vk.target_env<v1.3, r(0), [], {subgroupSize = 32 : i32, subgroupFeatures = 1 : i32}>} {
  gpu.func @exchange(%a: memref<8x8xf32>) kernel {
    %c0 = arith.constant 0 : index
    %A = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 8 : index} : memref<8x8xf32> -> !gpu.mma_matrix<8x8xf32, "AOp">
    %B = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 8 : index} : memref<8x8xf32> -> !gpu.mma_matrix<8x8xf32, "BOp">
    %C = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 8 : index} : memref<8x8xf32> -> !gpu.mma_matrix<8x8xf32, "COp">
    // expected-error @below {{'gpu.subgroup_mma_compute' needs subgroup operation 'shuffle' (subgroupFeatures bit 4), which the target lacks; without cooperative matrices of these shapes, lanes exchange the factors}}
    %D = gpu.subgroup_mma_compute %A, %B, %C : !gpu.mma_matrix<8x8xf32, "AOp">, !gpu.mma_matrix<8x8xf32, "BOp"> -> !gpu.mma_matrix<8x8xf32, "COp">
    gpu.subgroup_mma_store_matrix %D, %a[%c0, %c0] {leadDimension = 8 : index} : !gpu.mma_matrix<8x8xf32, "COp">, memref<8x8xf32>
    gpu.return
  }
}

// -----

// Ballots suffice only if every row of the product fills a subgroup. In this kernel, it does not.
gpu.module @m attributes {vk.target_env = #vk.target_env<v1.3, r(0), [], {subgroupSize = 32 : i32, subgroupFeatures = 9 : i32}>} {
  gpu.func @exchange(%a: memref<8x8xf32>) kernel {
    %c0 = arith.constant 0 : index
    %A = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 8 : index} : memref<8x8xf32> -> !gpu.mma_matrix<8x8xf32, "AOp">
    %B = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 8 : index} : memref<8x8xf32> -> !gpu.mma_matrix<8x8xf32, "BOp">
    %C = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 8 : index} : memref<8x8xf32> -> !gpu.mma_matrix<8x8xf32, "COp">
    // expected-error @below {{'gpu.subgroup_mma_compute' needs subgroup operation 'shuffle' (subgroupFeatures bit 4), which the target lacks; without cooperative matrices of these shapes, lanes exchange the factors}}
    %D = gpu.subgroup_mma_compute %A, %B, %C : !gpu.mma_matrix<8x8xf32, "AOp">, !gpu.mma_matrix<8x8xf32, "BOp"> -> !gpu.mma_matrix<8x8xf32, "COp">
    gpu.subgroup_mma_store_matrix %D, %a[%c0, %c0] {leadDimension = 8 : index} : !gpu.mma_matrix<8x8xf32, "COp">, memref<8x8xf32>
    gpu.return
  }
}

// -----

// In this kernel, every row fills a subgroup.
gpu.module @m attributes {vk.target_env = #vk.target_env<v1.3, r(0), [], {subgroupSize = 32 : i32, subgroupFeatures = 9 : i32}>} {
  gpu.func @broadcast(%a: memref<8x8xf32>, %b: memref<8x32xf32>) kernel {
    %c0 = arith.constant 0 : index
    %A = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 8 : index} : memref<8x8xf32> -> !gpu.mma_matrix<8x8xf32, "AOp">
    %B = gpu.subgroup_mma_load_matrix %b[%c0, %c0] {leadDimension = 32 : index} : memref<8x32xf32> -> !gpu.mma_matrix<8x32xf32, "BOp">
    %C = gpu.subgroup_mma_load_matrix %b[%c0, %c0] {leadDimension = 32 : index} : memref<8x32xf32> -> !gpu.mma_matrix<8x32xf32, "COp">
    %D = gpu.subgroup_mma_compute %A, %B, %C : !gpu.mma_matrix<8x8xf32, "AOp">, !gpu.mma_matrix<8x32xf32, "BOp"> -> !gpu.mma_matrix<8x32xf32, "COp">
    gpu.subgroup_mma_store_matrix %D, %b[%c0, %c0] {leadDimension = 32 : index} : !gpu.mma_matrix<8x32xf32, "COp">, memref<8x32xf32>
    gpu.return
  }
}
