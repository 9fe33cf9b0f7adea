//===- FixWorkgroupCount.h - fixes a module's grid size ---------------------===//
// A grid beyond the device's limits runs in parts, and the number of workgroups of a part is not
// the grid's. So specialization constants with the whole grid's number replace the built-in.
//===-------------------------------------------------------------------------===//
#pragma once

#include "support/Status.h"

#include <cstdint>
#include <span>
#include <vector>

namespace pumice::vulkan {

struct FixedWorkgroupCount {
  std::vector<uint32_t> words; // in the host's order, as Vulkan takes them
  uint32_t firstSpecId = 0;    // the first of three 32-bit constants: x, y, z
};

/// Returns the module without NumWorkgroups. Errors: Unsupported if the built-in is not used, or
/// not by Vulkan's rules of logical addressing. DataCorrupt.
Result<FixedWorkgroupCount> fixWorkgroupCount(std::span<const uint8_t> code);

} // namespace pumice::vulkan
