//===- Describe.h - describes the CPU as a device ---------------------------===//
#pragma once

#include "runtime/drivers/cpu/HostCpu.h"
#include "runtime/hal/DeviceInfo.h"

namespace pumice::cpu_driver {

inline constexpr uint32_t maxWorkgroupInvocations = 1024;
/// This much fits in the second-level cache of a core. The compiler itself chooses smaller sizes.
inline constexpr uint32_t maxWorkgroupMemoryBytes = 1u << 20;
/// A launch holds up to this number of bytes without an allocation.
inline constexpr uint32_t maxPushConstantBytes = 4096; // OpenCL requires 1024 bytes
inline constexpr uint32_t minSubgroupSize = 4, maxSubgroupSize = 64;

/// Describes the CPU. If `compiles` is true, a compiler is available, so the device also accepts
/// SPIR-V.
hal::DeviceInfo describe(const HostCpu &cpu, uint64_t memoryBytes, bool compiles = true);

} // namespace pumice::cpu_driver
