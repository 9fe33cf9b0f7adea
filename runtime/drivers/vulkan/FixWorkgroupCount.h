//===- FixWorkgroupCount.h - fixes a module's grid size ---------------------===//
// A grid beyond the device's limits runs in parts. In a part, NumWorkgroups holds the part's size,
// but kernels expect the grid's. So specialization constants that hold the grid's size replace the
// built-in.
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

/// Returns the module without NumWorkgroups. Errors: Unsupported if the module does not use the
/// built-in, or uses it against Vulkan's rules of logical addressing. DataCorrupt.
Result<FixedWorkgroupCount> fixWorkgroupCount(std::span<const uint8_t> code);

} // namespace pumice::vulkan
