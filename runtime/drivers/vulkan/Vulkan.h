//===- Vulkan.h - the Vulkan API as this driver uses it ---------------------===//
// Entry points come through volk, which opens the loader when asked: nothing links libvulkan.
// The distribution's headers are of early 2023; the few newer names that are needed stand here.
//===-------------------------------------------------------------------------===//
#pragma once

#define VK_NO_PROTOTYPES
#include <volk.h>

// Vulkan's structures are named by their first member, and the rest is zero on purpose.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wmissing-field-initializers"
#elif defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#endif

namespace pumice::vulkan {

/// Structure types that VK_HEADER_VERSION 239 lacks: 1000000000 + 1000 * (extension - 1) + index.
inline constexpr VkStructureType newerStructureType(uint32_t extension, uint32_t index = 0) {
  return static_cast<VkStructureType>(1000000000u + 1000u * (extension - 1) + index);
}
inline constexpr uint32_t shaderBfloat16Number = 142, subgroupRotateNumber = 417,
                          maximalReconvergenceNumber = 435, cooperativeMatrixNumber = 507,
                          floatControls2Number = 529, expectAssumeNumber = 545;

} // namespace pumice::vulkan
