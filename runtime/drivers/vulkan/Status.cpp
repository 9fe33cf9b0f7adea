//===- Status.cpp - VkResult as a Status ------------------------------------===//
#include "runtime/drivers/vulkan/Status.h"

namespace pumice::vulkan {
namespace {

struct KnownResult {
  VkResult result;
  const char *name;
  const char *words;
  StatusCode code;
};

#define RESULT(name, words, code) {name, #name, words, StatusCode::code}
constexpr KnownResult knownResults[] = {
    RESULT(VK_NOT_READY, "the work has not finished", DeadlineExceeded),
    RESULT(VK_TIMEOUT, "the wait timed out", DeadlineExceeded),
    RESULT(VK_INCOMPLETE, "an array is too small for a list", Internal),
    RESULT(VK_ERROR_OUT_OF_HOST_MEMORY, "out of host memory", ResourceExhausted),
    RESULT(VK_ERROR_OUT_OF_DEVICE_MEMORY, "out of device memory", ResourceExhausted),
    RESULT(VK_ERROR_INITIALIZATION_FAILED, "the driver failed to start", Unsupported),
    RESULT(VK_ERROR_DEVICE_LOST, "the device stopped answering", DeviceLost),
    RESULT(VK_ERROR_MEMORY_MAP_FAILED, "memory cannot be mapped", ResourceExhausted),
    RESULT(VK_ERROR_LAYER_NOT_PRESENT, "a layer is not installed", Unsupported),
    RESULT(VK_ERROR_EXTENSION_NOT_PRESENT, "an extension is not supported", Unsupported),
    RESULT(VK_ERROR_FEATURE_NOT_PRESENT, "a feature is not supported", Unsupported),
    RESULT(VK_ERROR_INCOMPATIBLE_DRIVER, "no driver for this version of Vulkan", Unsupported),
    RESULT(VK_ERROR_TOO_MANY_OBJECTS, "too many objects of this kind", ResourceExhausted),
    RESULT(VK_ERROR_FRAGMENTED_POOL, "the pool is fragmented", ResourceExhausted),
    RESULT(VK_ERROR_OUT_OF_POOL_MEMORY, "the pool is full", ResourceExhausted),
    RESULT(VK_ERROR_INVALID_EXTERNAL_HANDLE, "an external handle is not valid", InvalidArgument),
    RESULT(VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS, "an address cannot be given again",
           InvalidArgument),
    RESULT(VK_ERROR_INVALID_SHADER_NV, "the driver refuses the shader", InvalidArgument),
    RESULT(VK_PIPELINE_COMPILE_REQUIRED, "the pipeline is not in the cache", NotFound),
    RESULT(VK_ERROR_UNKNOWN, "an error the driver does not name", Internal),
};
#undef RESULT

} // namespace

std::string describe(VkResult result) {
  for (const KnownResult &known : knownResults)
    if (known.result == result)
      return std::string(known.name) + " (" + known.words + ")";
  return "VkResult " + std::to_string(static_cast<int>(result));
}

Status toStatus(VkResult result, std::string_view call) {
  if (result == VK_SUCCESS)
    return Status::ok();
  StatusCode code = StatusCode::Internal;
  for (const KnownResult &known : knownResults)
    if (known.result == result)
      code = known.code;
  return Status(code, std::string(call) + " returned " + describe(result));
}

} // namespace pumice::vulkan
