//===- FixWorkgroupCount.h - fixes a module's grid size ---------------------===//
// If a grid exceeds the limits of the device, it runs in parts. In each part, NumWorkgroups is the
// size of the part, but kernels expect that of the grid. So specialization constants with the size
// of the grid replace the built-in.
//===-------------------------------------------------------------------------===//
#pragma once

#include "support/Status.h"

#include <cstdint>
#include <span>
#include <vector>

namespace pumice::vulkan {

struct FixedWorkgroupCount {
  std::vector<uint32_t> words; // in the host's byte order, as Vulkan requires
  uint32_t firstSpecId = 0;    // the first of three 32-bit constants x, y, z
};

/// Returns the module without NumWorkgroups. Errors: Unsupported if the module does not use the
/// built-in, or if its use violates Vulkan's rules for logical addressing; DataCorrupt.
Result<FixedWorkgroupCount> fixWorkgroupCount(std::span<const uint8_t> code);

} // namespace pumice::vulkan
