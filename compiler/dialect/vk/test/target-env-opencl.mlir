// A target may describe an OpenCL device. Its features follow from its extensions.
// RUN: pumice-opt %s --split-input-file | FileCheck %s
// RUN: pumice target-env --triple intel-cpu | FileCheck %s --check-prefix=TRIPLE
// RUN: pumice target-env --triple opencl-3.0 --json | FileCheck %s --check-prefix=JSON
// RUN: pumice target-env --triple opencl-3.0 --json > %t.json && pumice target-env --target %t.json | FileCheck %s --check-prefix=LEAST
// RUN: pumice target-env --list | FileCheck %s --check-prefix=LIST
// RUN: not pumice target-env --target '#vk.target_env<opencl v3.0, [cl_khr_fp16], {shaderFloat16}>' 2>&1 | FileCheck %s --check-prefix=FEATURE
// RUN: not pumice target-env --target '#vk.target_env<opencl v3.0, [VK_KHR_8bit_storage], {}>' 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not pumice target-env --target '#vk.target_env<opencl v1.2, [], {}>' 2>&1 | FileCheck %s --check-prefix=VERSION
// RUN: not pumice target-env --target '#vk.target_env<opencl v3.0, [], {addressBits = 32 : i32}>' 2>&1 | FileCheck %s --check-prefix=ADDRESS
// RUN: not pumice target-env --target '#vk.target_env<opencl v3.0, [cl_khr_subgroups, cl_khr_subgroup_shuffle], {spirvMinor = 2 : i32}>' 2>&1 | FileCheck %s --check-prefix=SHUFFLE
// RUN: not pumice target-env --target '#vk.target_env<v1.2, [], {spirvMinor = 2 : i32}>' 2>&1 | FileCheck %s --check-prefix=VULKAN

// CHECK: #vk.target_env<opencl v3.0, r(0), [CL_DEVICE_SVM_COARSE_GRAIN_BUFFER, __opencl_c_fp64, cl_khr_fp16], {
// CHECK-SAME: spirvMinor = 2 : i32
// CHECK-SAME: subgroupSize = 1 : i32}>
module attributes {vk.a = #vk.target_env<opencl v3.0, [cl_khr_fp16, __opencl_c_fp64, CL_DEVICE_SVM_COARSE_GRAIN_BUFFER], {spirvMinor = 2 : i32}>} {}

// TRIPLE: #vk.target_env<opencl v3.1, r(0), [{{.*}}cl_intel_required_subgroup_size{{.*}}], {architecture = "x86-64-v3"
// JSON: "addressBits": 64,
// JSON: "api": "OpenCL",
// JSON: "features": [
// JSON: "bufferDeviceAddress"
// JSON: "spirvMinor": 0,
// JSON: "version": "3.0.0"
// LEAST: #vk.target_env<opencl v3.0, r(0), [], {deviceName = "opencl-3.0"
// LIST: opencl-3.0 {{ *}}OpenCL 3.0 {{ *}}the least of OpenCL 3.0's full profile
// LIST: intel-cpu {{ *}}OpenCL 3.1
// FEATURE: shaderFloat16: the features of an OpenCL device follow from its extensions; name those
// NAME: 'VK_KHR_8bit_storage' is not the name of an OpenCL extension; expected one such as cl_khr_fp16
// VERSION: version 1.2: OpenCL accepts SPIR-V from 2.0 (with cl_khr_il_program) to 3.x
// ADDRESS: addressBits = 32: only devices with addresses of 64 bits are known
// SHUFFLE: spirvMinor = 2: subgroup operations need SPIR-V 1.3
// VULKAN: spirvMinor: Vulkan's version decides the version of SPIR-V; leave this out
