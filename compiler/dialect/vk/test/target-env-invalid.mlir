// RUN: pumice-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{'subgroupsize' is not a feature or limit; did you mean 'subgroupSize'?}}
func.func private @unknownKey() attributes {e = #vk.target_env<v1.1, r(0), [], {subgroupsize = 32 : i32}>}

// -----

// expected-error @below {{expected a version such as v1.1}}
func.func private @noVersion() attributes {e = #vk.target_env<"1.1", r(0), [], {}>}

// -----

// expected-error @below {{'v1' is not a version such as v1.1}}
func.func private @version() attributes {e = #vk.target_env<v1, r(0), [], {}>}

// -----

// expected-error @below {{version 2.0: only Vulkan 1.x is known}}
func.func private @futureVersion() attributes {e = #vk.target_env<v2.0, r(0), [], {}>}

// -----

// expected-error @below {{revision r(99999999999999999999): must be from 0 to 4294967295}}
func.func private @revisionTooLarge() attributes {e = #vk.target_env<v1.1, r(99999999999999999999), [], {}>}

// -----

// expected-error @below {{revision r(4294967296): must be from 0 to 4294967295}}
func.func private @revisionJustTooLarge() attributes {e = #vk.target_env<v1.1, r(4294967296), [], {}>}

// -----

// expected-error @below {{revision r(-1): must be from 0 to 4294967295}}
func.func private @revisionNegative() attributes {e = #vk.target_env<v1.1, r(-1), [], {}>}

// -----

// expected-error @below {{expected a revision such as r(120)}}
func.func private @revisionMissing() attributes {e = #vk.target_env<v1.1, r(new), [], {}>}

// -----

// expected-error @below {{'VK_khr_thing' is not the name of a Vulkan extension; expected one such as VK_KHR_8bit_storage}}
func.func private @extension() attributes {e = #vk.target_env<v1.1, r(0), [VK_khr_thing], {}>}

// -----

// expected-error @below {{subgroupSize = "big": must be an integer such as 64 : i32}}
func.func private @limitType() attributes {e = #vk.target_env<v1.1, r(0), [], {subgroupSize = "big"}>}

// -----

// expected-error @below {{subgroupSize = -1 : i32: must not be negative; numbers of 2^31 and more are i64, of 2^63 and more ui64}}
func.func private @negative() attributes {e = #vk.target_env<v1.1, r(0), [], {subgroupSize = -1 : i32}>}

// -----

// expected-error @below {{maxPushConstantsSize = 4294967296 : i64: does not fit 32 bits}}
func.func private @tooLarge() attributes {e = #vk.target_env<v1.1, r(0), [], {maxPushConstantsSize = 4294967296 : i64}>}

// -----

// expected-error @below {{maxComputeWorkGroupSize = 64 : i32: must be three sizes such as dense<[128, 8, 4]> : vector<3xi32>}}
func.func private @sizes() attributes {e = #vk.target_env<v1.1, r(0), [], {maxComputeWorkGroupSize = 64 : i32}>}

// -----

// expected-error @below {{maxComputeWorkGroupSize = [8, 0, 8]: each size must be at least 1}}
func.func private @zero() attributes {e = #vk.target_env<v1.1, r(0), [], {maxComputeWorkGroupSize = dense<[8, 0, 8]> : vector<3xi32>}>}

// -----

// expected-error @below {{subgroupSize = 24: must be a power of two from 1 to 128}}
func.func private @subgroup() attributes {e = #vk.target_env<v1.1, r(0), [], {subgroupSize = 24 : i32}>}

// -----

// expected-error @below {{subgroupSize = 32: must lie within minSubgroupSize = 64 and maxSubgroupSize = 32}}
func.func private @range() attributes {e = #vk.target_env<v1.1, r(0), [], {subgroupSize = 32 : i32, minSubgroupSize = 64 : i32}>}

// -----

// expected-error @below {{shaderInt64 = 1 : i32: a feature has no value, or is true or false}}
func.func private @featureType() attributes {e = #vk.target_env<v1.1, r(0), [], {shaderInt64 = 1 : i32}>}

// -----

// expected-error @below {{shaderFloat16: this feature needs VK_KHR_shader_float16_int8 or Vulkan 1.2; add that, or leave the feature out}}
func.func private @notBrought() attributes {e = #vk.target_env<v1.1, r(0), [], {shaderFloat16}>}

// -----

// expected-error @below {{cooperativeMatrixPropertiesKHR: these need the feature cooperativeMatrix}}
func.func private @shapes() attributes {e = #vk.target_env<v1.3, r(0), [], {cooperativeMatrixPropertiesKHR = ["16x16x16 f16 f16 f32 f32 subgroup"]}>}

// -----

// expected-error @below {{cooperativeMatrixPropertiesKHR: '16x16 f16': a shape reads like}}
func.func private @shape() attributes {e = #vk.target_env<v1.3, r(0), [], {cooperativeMatrixPropertiesKHR = ["16x16 f16"]}>}

// -----

// expected-error @below {{maxComputeSharedMemorySize = 0: must be at least 1}}
func.func private @noMemory() attributes {e = #vk.target_env<v1.1, r(0), [], {maxComputeSharedMemorySize = 0 : i32}>}

// -----

// expected-error @below {{maxBufferSize = 0: must be at least 1}}
func.func private @noBuffer() attributes {e = #vk.target_env<v1.1, r(0), [], {maxBufferSize = 0 : i64}>}

// -----

// expected-error @below {{maxPushConstantsSize = 0: must be at least 1}}
func.func private @noPushConstants() attributes {e = #vk.target_env<v1.1, r(0), [], {maxPushConstantsSize = 0 : i32}>}

// -----

// expected-error @below {{roundingModeIndependence = 3: must be 0 (32-bit only), 1 (all) or 2 (none)}}
func.func private @independence() attributes {e = #vk.target_env<v1.1, r(0), [], {roundingModeIndependence = 3 : i32}>}

// -----

// expected-error @below {{subgroupFeatures = 65536: the bits 65536 are not known VkSubgroupFeatureFlagBits; the sum of the known ones is 2047}}
func.func private @bits() attributes {e = #vk.target_env<v1.1, r(0), [], {subgroupFeatures = 65536 : i32}>}

// -----

// expected-error @below {{nativeCode: there is no processor 'z80'; there are x86-64-v2, x86-64-v3, x86-64-v4, aarch64, x86-64-v2-windows, x86-64-v3-windows, x86-64-v4-windows and aarch64-macos}}
func.func private @processor() attributes {e = #vk.target_env<v1.3, r(0), [], {nativeCode = ["x86-64-v3", "z80"]}>}

// -----

// expected-error @below {{nativeCode: 'aarch64' occurs twice; remove one}}
func.func private @processorTwice() attributes {e = #vk.target_env<v1.3, r(0), [], {nativeCode = ["aarch64", "x86-64-v3", "aarch64"]}>}

// -----

// expected-error @below {{extensions: 'VK_KHR_8bit_storage' occurs twice; remove one}}
func.func private @extensionTwice() attributes {e = #vk.target_env<v1.3, r(0), [VK_KHR_8bit_storage, VK_KHR_8bit_storage], {}>}

// -----

// expected-error @below {{cooperativeMatrixPropertiesKHR: '16x16x16 f16 f16 f32 f32 subgroup' occurs twice; remove one}}
func.func private @shapeTwice() attributes {e = #vk.target_env<v1.3, r(0), [VK_KHR_cooperative_matrix], {cooperativeMatrix, vulkanMemoryModel, cooperativeMatrixPropertiesKHR = ["16x16x16 f16 f16 f32 f32 subgroup", "16x16x16  f16 f16 f32 f32 subgroup"]}>}

// -----

// expected-error @below {{maxStorageBufferRange = 18446744073709551615 : ui64: does not fit 32 bits}}
func.func private @range32() attributes {e = #vk.target_env<v1.3, r(0), [], {maxStorageBufferRange = 18446744073709551615 : ui64}>}

// -----

// expected-error @below {{maxBufferSize = -1 : i64: must not be negative}}
func.func private @unsigned() attributes {e = #vk.target_env<v1.3, r(0), [], {maxBufferSize = 18446744073709551615 : i64}>}

// -----

// expected-error @below {{expected an extension's name such as VK_KHR_8bit_storage, without quotes}}
// expected-error @below {{a target environment reads like #vk.target_env<v1.1, r(0), [VK_KHR_8bit_storage], {subgroupSize = 32 : i32}>}}
func.func private @quoted() attributes {e = #vk.target_env<v1.3, r(0), ["VK_KHR_8bit_storage"], {}>}

// -----

// expected-error @below {{expected a comma: a target environment reads like #vk.target_env<v1.1, r(0), [VK_KHR_8bit_storage], {subgroupSize = 32 : i32}>}}
func.func private @alone() attributes {e = #vk.target_env<v1.1>}

// -----

// expected-error @below {{architecture = 4 : i64: must be a string}}
func.func private @architecture() attributes {e = #vk.target_env<v1.3, r(0), [], {architecture = 4}>}
