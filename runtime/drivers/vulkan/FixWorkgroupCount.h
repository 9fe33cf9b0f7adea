//===- FixWorkgroupCount.h - a module for one size of grid ------------------===//
// A grid beyond the device's limits runs in parts, whose number of workgroups is not the grid's. So
// the built-in is replaced by specialization constants, which hold the whole grid's.
//===-------------------------------------------------------------------------===//
#pragma once

#include "support/Status.h"

#include <cstdint>
#include <span>
#include <vector>

namespace pumice::vulkan {

struct FixedWorkgroupCount {
  std::vector<uint32_t> words; // in the host's order, as Vulkan takes them
  uint32_t firstSpecId = 0;    // of three 32-bit constants: x, y, z
};

/// The module without NumWorkgroups. Errors: Unsupported if the built-in is used otherwise than
/// Vulkan's rules of logical addressing have it, or not at all; DataCorrupt.
Result<FixedWorkgroupCount> fixWorkgroupCount(std::span<const uint8_t> code);

} // namespace pumice::vulkan
