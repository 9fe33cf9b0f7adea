//===- VulkanStatus.h - VkResult as a Status --------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/Vulkan.h"
#include "support/Status.h"

namespace pumice::vulkan {

/// Returns, for example, "VK_ERROR_DEVICE_LOST (the device stopped answering)".
std::string describe(VkResult result);

/// Returns ok for VK_SUCCESS. Otherwise returns a failure of the matching code that names `call`
/// and describes the result.
Status toStatus(VkResult result, std::string_view call);

} // namespace pumice::vulkan
