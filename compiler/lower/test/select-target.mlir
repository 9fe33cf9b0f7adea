// RUN: pumice-opt %s --pumice-select-target=target=lavapipe22 | FileCheck %s --check-prefixes=BOTH,TRIPLE
// RUN: pumice-opt %s --pumice-select-target="target='#vk.target_env<v1.1, r(120), [VK_KHR_8bit_storage], {subgroupFeatures = 7 : i32, subgroupSize = 64 : i32, storageBuffer8BitAccess}>'" | FileCheck %s --check-prefixes=BOTH,TEXT
// RUN: pumice-opt %s --pumice-select-target=target=%root/compiler/dialect/vk/test/inputs/vulkaninfo-lavapipe22.json | FileCheck %s --check-prefixes=BOTH,TRIPLE
// RUN: not pumice-opt %s --pumice-select-target=target=rdna 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not pumice-opt %s --pumice-select-target 2>&1 | FileCheck %s --check-prefix=NONE

// Every gpu.module has both attributes afterwards.
// BOTH-LABEL: gpu.module @first attributes
// TRIPLE-SAME: spirv.target_env = #spirv.target_env<#spirv.vce<v1.6, [{{.*}}AtomicFloat32AddEXT{{.*}}Float64{{.*}}GroupNonUniformShuffleRelative{{.*}}PhysicalStorageBufferAddresses{{.*}}], [{{.*}}SPV_EXT_shader_atomic_float_add{{.*}}]>, api=Vulkan
// TRIPLE-SAME: max_compute_shared_memory_size = 32768
// TRIPLE-SAME: subgroup_size = 8
// TRIPLE-SAME: vk.target_env = #vk.target_env<v1.3, r(230)
// TEXT-SAME: spirv.target_env = #spirv.target_env<#spirv.vce<v1.3, [GroupNonUniform, GroupNonUniformArithmetic, GroupNonUniformVote, Matrix, Shader, StorageBuffer8BitAccess], [SPV_KHR_16bit_storage, SPV_KHR_8bit_storage, SPV_KHR_device_group, SPV_KHR_storage_buffer_storage_class, SPV_KHR_variable_pointers]>, api=Vulkan
// TEXT-SAME: vk.target_env = #vk.target_env<v1.1, r(120), [VK_KHR_8bit_storage], {
gpu.module @first {
}

// BOTH-LABEL: gpu.module @second attributes
// BOTH-SAME: spirv.target_env = #spirv.target_env<
// BOTH-SAME: vk.target_env = #vk.target_env<
gpu.module @second {
}

// UNKNOWN: error: target: 'rdna' is not the name of a target; near it: rdna1, rdna2, rdna3, rdna3.5, rdna4; `pumice target-env --list` lists them all
// NONE: error: no vk.target_env on the gpu.module; run pumice-select-target first
