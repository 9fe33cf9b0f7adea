// Matrices that the target multiplies natively are rejected for the same reasons as emulated ones.
// RUN: pumice-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(pumice-emulate-matrices))'

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.3, r(0), [VK_KHR_cooperative_matrix], {cooperativeMatrix, shaderFloat16, vulkanMemoryModel, subgroupSize = 32 : i32, subgroupFeatures = 127 : i32, cooperativeMatrixPropertiesKHR = ["16x16x16 f16 f16 f16 f16 subgroup"]}>} {
  gpu.func @too_few(%a: memref<16x16xf16>) kernel {
    %c0 = arith.constant 0 : index
    %A = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 16 : index} : memref<16x16xf16> -> !gpu.mma_matrix<16x16xf16, "AOp">
    // expected-error @below {{'addf' takes 2 matrices, not 1}}
    %B = gpu.subgroup_mma_elementwise addf %A : (!gpu.mma_matrix<16x16xf16, "AOp">) -> !gpu.mma_matrix<16x16xf16, "AOp">
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.3, r(0), [VK_KHR_cooperative_matrix], {cooperativeMatrix, shaderFloat16, vulkanMemoryModel, subgroupSize = 32 : i32, subgroupFeatures = 127 : i32, cooperativeMatrixPropertiesKHR = ["16x16x16 f16 f16 f16 f16 subgroup"]}>} {
  gpu.func @too_many(%a: memref<16x16xf16>) kernel {
    %c0 = arith.constant 0 : index
    %A = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 16 : index} : memref<16x16xf16> -> !gpu.mma_matrix<16x16xf16, "AOp">
    // expected-error @below {{'negatef' takes 1 matrices, not 2}}
    %B = gpu.subgroup_mma_elementwise negatef %A, %A : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "AOp">) -> !gpu.mma_matrix<16x16xf16, "AOp">
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.3, r(0), [VK_KHR_cooperative_matrix], {cooperativeMatrix, shaderFloat16, vulkanMemoryModel, subgroupSize = 32 : i32, subgroupFeatures = 127 : i32, cooperativeMatrixPropertiesKHR = ["16x16x16 f16 f16 f16 f16 subgroup"]}>} {
  gpu.func @kind(%a: memref<16x16xf16>) kernel {
    %c0 = arith.constant 0 : index
    %A = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 16 : index} : memref<16x16xf16> -> !gpu.mma_matrix<16x16xf16, "AOp">
    // expected-error @below {{'addi' is for matrices of integers, not of 'f16'}}
    %B = gpu.subgroup_mma_elementwise addi %A, %A : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "AOp">) -> !gpu.mma_matrix<16x16xf16, "AOp">
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.3, r(0), [VK_KHR_cooperative_matrix], {cooperativeMatrix, shaderFloat16, vulkanMemoryModel, subgroupSize = 32 : i32, subgroupFeatures = 127 : i32, cooperativeMatrixPropertiesKHR = ["16x16x16 f16 f16 f16 f16 subgroup"]}>} {
  gpu.func @memory(%a: memref<16x16xf32>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @below {{'gpu.subgroup_mma_load_matrix' of elements of type 'f16' and memory of 'f32': use a memref of the matrix's element type}}
    %A = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 16 : index} : memref<16x16xf32> -> !gpu.mma_matrix<16x16xf16, "AOp">
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.3, r(0), [VK_KHR_cooperative_matrix], {cooperativeMatrix, shaderFloat16, vulkanMemoryModel, subgroupSize = 32 : i32, subgroupFeatures = 127 : i32, cooperativeMatrixPropertiesKHR = ["16x16x16 f16 f16 f16 f16 subgroup"]}>} {
  gpu.func @transposed(%a: memref<16x16xf16>) kernel {
    %c0 = arith.constant 0 : index
    %A = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 16 : index} : memref<16x16xf16> -> !gpu.mma_matrix<16x16xf16, "AOp">
    %B = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 16 : index} : memref<16x16xf16> -> !gpu.mma_matrix<16x16xf16, "BOp">
    %C = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 16 : index} : memref<16x16xf16> -> !gpu.mma_matrix<16x16xf16, "COp">
    // expected-error @below {{'gpu.subgroup_mma_compute' with b_transpose of a matrix that is not loaded so: load it with 'transpose'}}
    %D = gpu.subgroup_mma_compute %A, %B, %C {b_transpose} : !gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp"> -> !gpu.mma_matrix<16x16xf16, "COp">
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.3, r(0), [VK_KHR_cooperative_matrix], {cooperativeMatrix, shaderFloat16, vulkanMemoryModel, subgroupSize = 32 : i32, subgroupFeatures = 127 : i32, cooperativeMatrixPropertiesKHR = ["16x16x16 f16 f16 f16 f16 subgroup"]}>} {
  gpu.func @component(%a: memref<16x16xf16>) kernel {
    %c0 = arith.constant 0 : index
    %A = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 16 : index} : memref<16x16xf16> -> !gpu.mma_matrix<16x16xf16, "AOp">
    %c8 = arith.constant 8 : index
    // expected-error @below {{index 8 is outside of the 8 elements that a lane holds}}
    %e = gpu.subgroup_mma_extract_thread_local %A[%c8] : !gpu.mma_matrix<16x16xf16, "AOp"> -> f16
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.3, r(0), [VK_KHR_cooperative_matrix], {cooperativeMatrix, shaderFloat16, vulkanMemoryModel, subgroupSize = 32 : i32, subgroupFeatures = 127 : i32, cooperativeMatrixPropertiesKHR = ["16x16x16 f16 f16 f16 f16 subgroup"]}>} {
  gpu.func @indices(%a: memref<16x16xf16>) kernel {
    %c0 = arith.constant 0 : index
    %A = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 16 : index} : memref<16x16xf16> -> !gpu.mma_matrix<16x16xf16, "AOp">
    // expected-error @below {{'gpu.subgroup_mma_extract_thread_local' takes one index into the lane's 8 elements, not 2}}
    %e = gpu.subgroup_mma_extract_thread_local %A[%c0, %c0] : !gpu.mma_matrix<16x16xf16, "AOp"> -> f16
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.3, r(0), [VK_KHR_cooperative_matrix], {cooperativeMatrix, shaderFloat16, vulkanMemoryModel, subgroupSize = 32 : i32, subgroupFeatures = 127 : i32, cooperativeMatrixPropertiesKHR = ["16x16x16 f16 f16 f16 f16 subgroup"]}>} {
  gpu.func @other_use(%a: memref<16x16xf16>) kernel {
    %c0 = arith.constant 0 : index
    %A = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 16 : index} : memref<16x16xf16> -> !gpu.mma_matrix<16x16xf16, "AOp">
    %e = arith.constant 1.0 : f16
    // expected-error @below {{makes a matrix of type '!gpu.mma_matrix<16x16xf16, "BOp">' of one of type '!gpu.mma_matrix<16x16xf16, "AOp">': both must be of one type}}
    %B = gpu.subgroup_mma_insert_thread_local %e, %A[%c0] : f16, !gpu.mma_matrix<16x16xf16, "AOp"> -> !gpu.mma_matrix<16x16xf16, "BOp">
    gpu.return
  }
}

// -----

gpu.module @m attributes {vk.target_env = #vk.target_env<v1.3, r(0), [VK_KHR_cooperative_matrix], {cooperativeMatrix, shaderFloat16, vulkanMemoryModel, subgroupSize = 32 : i32, subgroupFeatures = 127 : i32, cooperativeMatrixPropertiesKHR = ["16x16x16 f16 f16 f16 f16 subgroup"]}>} {
  gpu.func @large(%a: memref<512x512xf16>) kernel {
    %c0 = arith.constant 0 : index
    // expected-error @below {{a matrix of type '!gpu.mma_matrix<512x512xf16, "COp">' has 262144 elements; from 1 to 65536 are possible: multiply smaller tiles}}
    %A = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {leadDimension = 512 : index} : memref<512x512xf16> -> !gpu.mma_matrix<512x512xf16, "COp">
    gpu.return
  }
}
