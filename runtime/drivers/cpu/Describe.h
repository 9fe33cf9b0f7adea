//===- Describe.h - the CPU as the runtime sees a device ---------------------===//
#pragma once

#include "runtime/drivers/cpu/HostCpu.h"
#include "runtime/hal/DeviceInfo.h"

namespace pumice::cpu_driver {

inline constexpr uint32_t maxWorkgroupInvocations = 1024;
/// Fits into a core's second-level cache. The compiler's own choices stay below this size.
inline constexpr uint32_t maxWorkgroupMemoryBytes = 1u << 20;
/// Launches hold this many bytes without an allocation.
inline constexpr uint32_t maxPushConstantBytes = 4096; // OpenCL wants 1024 of arguments
inline constexpr uint32_t minSubgroupSize = 4, maxSubgroupSize = 64;

/// `compiles`: there is a compiler, so that it takes SPIR-V too.
hal::DeviceInfo describe(const HostCpu &cpu, uint64_t memoryBytes, bool compiles = true);

} // namespace pumice::cpu_driver
