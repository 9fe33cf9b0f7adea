//===- Vulkan.h - the Vulkan API as this driver uses it ---------------------===//
// Functions come from volk, which opens the loader on demand, so nothing links libvulkan. The
// headers of the distribution are from early 2023. The few newer names that the driver needs are
// defined here.
//===-------------------------------------------------------------------------===//
#pragma once

#define VK_NO_PROTOTYPES
#include <volk.h>

#include <vulkan/vulkan_beta.h> // the structures of VK_KHR_portability_subset

// Only the first member of Vulkan's structures is initialized explicitly. The rest is zero on
// purpose.
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
inline constexpr uint32_t shaderBfloat16Number = 142, portabilitySubsetNumber = 164,
                          subgroupRotateNumber = 417, maximalReconvergenceNumber = 435,
                          maintenance5Number = 471, cooperativeMatrixNumber = 507,
                          floatControls2Number = 529, expectAssumeNumber = 545,
                          replicatedCompositesNumber = 565;

/// VkCooperativeMatrixPropertiesKHR, and the function that lists them.
struct CooperativeMatrixProperties {
  VkStructureType sType = newerStructureType(cooperativeMatrixNumber, 1);
  void *pNext = nullptr;
  uint32_t m = 0, n = 0, k = 0;
  uint32_t a = 0, b = 0, c = 0, result = 0; // VkComponentTypeKHR
  VkBool32 saturating = VK_FALSE;
  uint32_t scope = 0; // VkScopeKHR
};
using GetCooperativeMatrixProperties = VkResult(VKAPI_PTR *)(VkPhysicalDevice, uint32_t *,
                                                             CooperativeMatrixProperties *);

} // namespace pumice::vulkan
