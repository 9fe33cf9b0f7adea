//===- Status.h - VkResult as a Status --------------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/Vulkan.h"
#include "support/Status.h"

namespace pumice::vulkan {

/// Returns a text such as "VK_ERROR_DEVICE_LOST (the device stopped answering)".
std::string describe(VkResult result);

/// Returns ok for VK_SUCCESS. For other results, returns a failure with the corresponding code,
/// which names `call` and describes the result.
Status toStatus(VkResult result, std::string_view call);

} // namespace pumice::vulkan
