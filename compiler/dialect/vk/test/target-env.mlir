// RUN: pumice-opt %s | FileCheck %s
// RUN: pumice-opt %s | pumice-opt | FileCheck %s

// The example of the HAL design document prints exactly as it is there.
// CHECK-LABEL: func.func private @seed
// CHECK-SAME: target_env = #vk.target_env<v1.1, r(120), [VK_KHR_spirv_1_4, VK_KHR_storage_buffer_storage_class], {maxComputeSharedMemorySize = 16384 : i32, maxComputeWorkGroupInvocations = 1024 : i32, maxComputeWorkGroupSize = dense<[128, 8, 4]> : vector<3xi32>, subgroupFeatures = 7 : i32, subgroupSize = 64 : i32}>
func.func private @seed() attributes {
target_env = #vk.target_env<
  v1.1, r(120),
  [VK_KHR_spirv_1_4, VK_KHR_storage_buffer_storage_class],
  {
    maxComputeSharedMemorySize = 16384 : i32,
    maxComputeWorkGroupInvocations = 1024: i32,
    maxComputeWorkGroupSize = dense<[128, 8, 4]>: vector<3xi32>,
    subgroupFeatures = 7: i32,
    subgroupSize = 64 : i32
  }
>
}

// Order, spelling, and entries that repeat the default do not matter: these two are one attribute.
// CHECK-LABEL: func.func private @canonical
// CHECK-SAME: a = [[A:#vk.target_env<v1.2, r\(0\), \[VK_KHR_8bit_storage, VK_KHR_cooperative_matrix\], .*>]], b = [[A]]}
func.func private @canonical() attributes {
  a = #vk.target_env<v1.2, r(0), [VK_KHR_cooperative_matrix, VK_KHR_8bit_storage],
      {shaderInt64 = true, shaderFloat64 = false, vulkanMemoryModel, cooperativeMatrix,
       maxPushConstantsSize = 128 : i64, subgroupSize = 32 : i16,
       cooperativeMatrixPropertiesKHR = ["16x16x16  f16 f16 f32 f32 subgroup"]}>,
  b = #vk.target_env<v1.2, [VK_KHR_8bit_storage, VK_KHR_cooperative_matrix],
      {cooperativeMatrix, vulkanMemoryModel, shaderInt64, subgroupSize = 32 : i32,
       minSubgroupSize = 32 : i32,
       cooperativeMatrixPropertiesKHR = ["16x16x16 f16 f16 f32 f32 subgroup"]}>
}

// CHECK-LABEL: func.func private @large
// CHECK-SAME: maxComputeWorkGroupCount = dense<[4294967295, 65535, 65535]> : vector<3xi64>
// CHECK-SAME: maxStorageBufferRange = 4294967295 : i64
func.func private @large() attributes {
  target_env = #vk.target_env<v1.3, r(1), [],
      {maxStorageBufferRange = 4294967295 : i64,
       maxComputeWorkGroupCount = dense<[4294967295, 65535, 65535]> : vector<3xi64>}>
}

// In 64 bits, "all" is not -1.
// CHECK-LABEL: func.func private @largest
// CHECK-SAME: maxBufferSize = 18446744073709551615 : ui64
// CHECK-SAME: maxMemoryAllocationSize = 9223372036854775807 : i64
func.func private @largest() attributes {
  target_env = #vk.target_env<v1.3, r(1), [],
      {maxBufferSize = 18446744073709551615 : ui64,
       maxMemoryAllocationSize = 9223372036854775807 : ui64}>
}

// The attribute may contain a measured fragment map.
// CHECK-LABEL: func.func private @measured
// CHECK-SAME: cooperativeMatrixFragments = ["accumulator 16x16 f32 subgroup components (0,1) (0,8) (8,0) lanes (0,2) (0,4) (1,0) (2,0) (4,0)"]
func.func private @measured() attributes {
  target_env = #vk.target_env<v1.3, r(1), [VK_KHR_cooperative_matrix],
      {cooperativeMatrix, vulkanMemoryModel, cooperativeMatrixFragments = [
        "accumulator 16x16 f32 subgroup components (0,1) (0,8) (8,0) lanes (0,2) (0,4) (1,0) (2,0) (4,0)"]}>
}
