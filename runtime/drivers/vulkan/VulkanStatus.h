//===- VulkanStatus.h - VkResult as a Status --------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/Vulkan.h"
#include "support/Status.h"

namespace pumice::vulkan {

/// "VK_ERROR_DEVICE_LOST (the device stopped answering)".
std::string describe(VkResult result);

/// Ok for VK_SUCCESS, else a failure of the matching code that names `call` and the result in
/// words.
Status toStatus(VkResult result, std::string_view call);

} // namespace pumice::vulkan
