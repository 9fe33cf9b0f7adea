//===- DeviceFunctions.cpp - functions that a device must have --------------===//
#include "runtime/drivers/vulkan/DeviceFunctions.h"

#include <type_traits>

namespace pumice::vulkan {
namespace {

/// Calls look(name, function, isNeeded) for each function. `isNeeded` says whether work under
/// `plan` calls the function.
template <typename Table, typename Look>
void lookAtEach(Table &vk, const DevicePlan &plan, Look look) {
#define AT(name) #name, vk.name
  look(AT(vkAllocateCommandBuffers), true);
  look(AT(vkAllocateDescriptorSets), true);
  look(AT(vkAllocateMemory), true);
  look(AT(vkBeginCommandBuffer), true);
  look(AT(vkBindBufferMemory), true);
  look(AT(vkCmdBindDescriptorSets), true);
  look(AT(vkCmdBindPipeline), true);
  look(AT(vkCmdCopyBuffer), true);
  look(AT(vkCmdDispatch), true);
  look(AT(vkCmdDispatchBase), true);
  look(AT(vkCmdFillBuffer), true);
  look(AT(vkCmdPipelineBarrier), true);
  look(AT(vkCmdPushConstants), true);
  look(AT(vkCreateBuffer), true);
  look(AT(vkCreateCommandPool), true);
  look(AT(vkCreateComputePipelines), true);
  look(AT(vkCreateDescriptorPool), true);
  look(AT(vkCreateDescriptorSetLayout), true);
  look(AT(vkCreatePipelineCache), true);
  look(AT(vkCreatePipelineLayout), true);
  look(AT(vkCreateShaderModule), true);
  look(AT(vkDestroyBuffer), true);
  look(AT(vkDestroyCommandPool), true);
  look(AT(vkDestroyDescriptorPool), true);
  look(AT(vkDestroyDescriptorSetLayout), true);
  look(AT(vkDestroyDevice), true);
  look(AT(vkDestroyFence), true);
  look(AT(vkDestroyPipeline), true);
  look(AT(vkDestroyPipelineCache), true);
  look(AT(vkDestroyPipelineLayout), true);
  look(AT(vkDestroyQueryPool), true);
  look(AT(vkDestroySemaphore), true);
  look(AT(vkDestroyShaderModule), true);
  look(AT(vkDeviceWaitIdle), true);
  look(AT(vkEndCommandBuffer), true);
  look(AT(vkFreeMemory), true);
  look(AT(vkGetBufferMemoryRequirements), true);
  look(AT(vkGetDeviceQueue), true);
  look(AT(vkGetPipelineCacheData), true);
  look(AT(vkMapMemory), true);
  look(AT(vkMergePipelineCaches), true);
  look(AT(vkQueueSubmit), true);
  look(AT(vkQueueWaitIdle), true);
  look(AT(vkResetCommandPool), true);
  look(AT(vkResetDescriptorPool), true);
  look(AT(vkUpdateDescriptorSets), true);
  look(AT(vkCmdPushDescriptorSetKHR), plan.pushDescriptors);
  look(AT(vkCmdResetQueryPool), plan.timestamps);
  look(AT(vkCmdWriteTimestamp), plan.timestamps);
  look(AT(vkCreateQueryPool), plan.timestamps);
  look(AT(vkGetQueryPoolResults), plan.timestamps);
  look(AT(vkGetBufferDeviceAddress), plan.bufferAddresses);
  look(AT(vkGetDeviceFaultInfoEXT), plan.deviceFault);
  look(AT(vkGetMemoryHostPointerPropertiesEXT), plan.hostImport);
  // Only programs that share memory need these functions. The code that shares memory checks that
  // they exist.
  look(AT(vkGetMemoryFdKHR), false);
  look(AT(vkGetMemoryFdPropertiesKHR), false);
  look(AT(vkCreateSemaphore), plan.timelineSemaphores);
  look(AT(vkGetSemaphoreCounterValue), plan.timelineSemaphores);
  look(AT(vkSignalSemaphore), plan.timelineSemaphores);
  look(AT(vkWaitSemaphores), plan.timelineSemaphores);
  look(AT(vkCreateFence), !plan.timelineSemaphores);
  look(AT(vkGetFenceStatus), !plan.timelineSemaphores);
  look(AT(vkResetFences), !plan.timelineSemaphores);
  look(AT(vkWaitForFences), !plan.timelineSemaphores);
#undef AT
}

/// If the driver lacks core functions, copies the functions of extensions to the corresponding core
/// names.
void aliasPromoted(VolkDeviceTable &vk) {
#define PUMICE_VK_ALIAS(name, suffix)                                                              \
  if (!vk.name)                                                                                    \
  vk.name = vk.name##suffix
  PUMICE_VK_ALIAS(vkGetBufferDeviceAddress, KHR);
  PUMICE_VK_ALIAS(vkGetSemaphoreCounterValue, KHR);
  PUMICE_VK_ALIAS(vkSignalSemaphore, KHR);
  PUMICE_VK_ALIAS(vkWaitSemaphores, KHR);
#undef PUMICE_VK_ALIAS
}

template <typename Answer, typename... Arguments>
void cutFunction(Answer(VKAPI_PTR *&function)(Arguments...)) {
  function = [](Arguments...) -> Answer {
    if constexpr (std::is_same_v<Answer, VkResult>)
      return VK_ERROR_DEVICE_LOST;
    else
      return Answer();
  };
}

} // namespace

const char *missingFunction(const VolkDeviceTable &vk, const DevicePlan &plan) {
  const char *missing = nullptr;
  lookAtEach(vk, plan, [&](const char *name, auto function, bool isNeeded) {
    if (isNeeded && !function && !missing)
      missing = name;
  });
  return missing;
}

std::vector<std::string_view> deviceFunctions() {
  std::vector<std::string_view> names;
  const VolkDeviceTable none{};
  lookAtEach(none, {}, [&](const char *name, auto, bool) { names.push_back(name); });
  return names;
}

FunctionTable::FunctionTable()
    : own(std::make_unique<VolkDeviceTable>()), cut(std::make_unique<VolkDeviceTable>()),
      current(own.get()) {}

FunctionTable::FunctionTable(FunctionTable &&other) noexcept
    : own(std::move(other.own)), cut(std::move(other.cut)), current(other.current.load()) {}

void FunctionTable::load(VkDevice device, PFN_vkGetDeviceProcAddr getProcAddr) {
  VolkDeviceTable functions{};
  // volkLoadDeviceTable reads this global of volk. While the loader is locked, no other thread
  // reads it.
  PFN_vkGetDeviceProcAddr installed = vkGetDeviceProcAddr;
  if (getProcAddr)
    vkGetDeviceProcAddr = getProcAddr;
  volkLoadDeviceTable(&functions, device);
  vkGetDeviceProcAddr = installed;
  aliasPromoted(functions);
  set(functions);
}

void FunctionTable::set(const VolkDeviceTable &functions) {
  *own = *cut = functions;
  lookAtEach(*cut, {}, [](const char *, auto &function, bool) { cutFunction(function); });
}

} // namespace pumice::vulkan
