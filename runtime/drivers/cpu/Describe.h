//===- Describe.h - describes the CPU as a device -------------------------===//
#pragma once

#include "runtime/drivers/cpu/HostCpu.h"
#include "runtime/hal/DeviceInfo.h"

namespace pumice::cpu_driver {

inline constexpr uint32_t maxWorkgroupInvocations = 1024;
/// This fits into a core's second-level cache. The compiler's own choices stay below this size.
inline constexpr uint32_t maxWorkgroupMemoryBytes = 1u << 20;
/// Launches hold at most this many bytes, without an allocation.
inline constexpr uint32_t maxPushConstantBytes = 4096; // OpenCL requires 1024 bytes of arguments
inline constexpr uint32_t minSubgroupSize = 4, maxSubgroupSize = 64;

/// Describes the CPU. If `compiles` is true, a compiler is available, and the device also takes
/// SPIR-V.
hal::DeviceInfo describe(const HostCpu &cpu, uint64_t memoryBytes, bool compiles = true);

} // namespace pumice::cpu_driver
