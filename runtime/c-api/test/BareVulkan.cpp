//===- BareVulkan.cpp - an application with Vulkan objects of its own -------===//
#include "runtime/c-api/test/BareVulkan.h"

#include <cstring>

namespace pumice::capi_test {
namespace {

std::vector<std::string> &allMessages() {
  static std::vector<std::string> all;
  return all;
}

VKAPI_ATTR VkBool32 VKAPI_CALL onMessage(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                         VkDebugUtilsMessageTypeFlagsEXT,
                                         const VkDebugUtilsMessengerCallbackDataEXT *data, void *) {
  // The validation layer may be older than the driver.
  for (const char *newer : {"unknown VkStructureType", "is not supported by this layer"})
    if (std::strstr(data->pMessage, newer))
      return VK_FALSE;
  allMessages().push_back(data->pMessage);
  return VK_FALSE;
}

bool hasLayer(const char *name) {
  uint32_t count = 0;
  vkEnumerateInstanceLayerProperties(&count, nullptr);
  std::vector<VkLayerProperties> layers(count);
  vkEnumerateInstanceLayerProperties(&count, layers.data());
  for (const VkLayerProperties &layer : layers)
    if (!std::strcmp(layer.layerName, name))
      return true;
  return false;
}

template <typename Function> Function extension(VkInstance instance, const char *name) {
  return reinterpret_cast<Function>(vkGetInstanceProcAddr(instance, name));
}

} // namespace

const std::vector<std::string> &BareVulkan::messages() { return allMessages(); }

bool BareVulkan::start() {
  const char *layer = "VK_LAYER_KHRONOS_validation";
  const char *debug = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.apiVersion = VK_API_VERSION_1_2;
  VkDebugUtilsMessengerCreateInfoEXT listener{
      VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
  listener.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                             VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  listener.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  listener.pfnUserCallback = onMessage;
  VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  info.pApplicationInfo = &application;
  bool validates = hasLayer(layer);
  if (validates) {
    info.pNext = &listener;
    info.enabledLayerCount = info.enabledExtensionCount = 1;
    info.ppEnabledLayerNames = &layer;
    info.ppEnabledExtensionNames = &debug;
  }
  if (VkResult result = vkCreateInstance(&info, nullptr, &instance); result != VK_SUCCESS) {
    why = "vkCreateInstance answered " + std::to_string(result);
    return false;
  }
  if (validates)
    extension<PFN_vkCreateDebugUtilsMessengerEXT>(instance, "vkCreateDebugUtilsMessengerEXT")(
        instance, &listener, nullptr, &messenger);
  uint32_t count = 1;
  vkEnumeratePhysicalDevices(instance, &count, &physical);
  why = physical ? "" : "there is no Vulkan device";
  return physical;
}

pumice_vulkan_physical_device BareVulkan::from() const {
  pumice_vulkan_physical_device from{};
  from.instance = instance;
  from.physical_device = physical;
  from.api_version = VK_API_VERSION_1_2;
  return from;
}

bool BareVulkan::makeDevice(const std::vector<const char *> &names, void *chain) {
  static const float priority = 1;
  extensions = names;
  queueInfo = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queueInfo.queueFamilyIndex = family;
  queueInfo.queueCount = 1;
  queueInfo.pQueuePriorities = &priority;
  create = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, chain};
  create.queueCreateInfoCount = 1;
  create.pQueueCreateInfos = &queueInfo;
  create.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  create.ppEnabledExtensionNames = extensions.data();
  if (vkCreateDevice(physical, &create, nullptr, &device) != VK_SUCCESS)
    return false;
  vkGetDeviceQueue(device, family, 0, &queue);
  VkCommandPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  poolInfo.queueFamilyIndex = family;
  return vkCreateCommandPool(device, &poolInfo, nullptr, &pool) == VK_SUCCESS;
}

bool BareVulkan::makeWishedDevice() {
  pumice_vulkan_physical_device physicalDevice = from();
  if (pumice_vulkan_wishes_create(&physicalDevice, nullptr, &wishes) != PUMICE_OK)
    return false;
  pumice_vulkan_wishes_info info = PUMICE_INIT(pumice_vulkan_wishes_info);
  if (pumice_vulkan_wishes_get_info(wishes, &info) != PUMICE_OK)
    return false;
  family = info.queue_family;
  return makeDevice({info.extensions, info.extensions + info.extension_count}, info.features);
}

pumice_vulkan_device_options BareVulkan::options() const {
  pumice_vulkan_device_options options = PUMICE_INIT(pumice_vulkan_device_options);
  options.from = from();
  options.device = device;
  options.create_info = &create;
  options.queue_family = family;
  return options;
}

HostVisible BareVulkan::makeBuffer(uint64_t bytes, VkBufferUsageFlags usage) {
  HostVisible made;
  made.bytes = bytes;
  made.usage = usage;
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = bytes;
  info.usage = usage;
  if (vkCreateBuffer(device, &info, nullptr, &made.buffer) != VK_SUCCESS)
    return made;
  VkMemoryRequirements needs{};
  vkGetBufferMemoryRequirements(device, made.buffer, &needs);
  VkPhysicalDeviceMemoryProperties memory{};
  vkGetPhysicalDeviceMemoryProperties(physical, &memory);
  VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO};
  flags.flags =
      usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT ? VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT : 0;
  VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags};
  allocate.allocationSize = needs.size;
  constexpr VkMemoryPropertyFlags wanted =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  for (uint32_t type = memory.memoryTypeCount; type-- > 0;)
    if ((needs.memoryTypeBits & (1u << type)) &&
        (memory.memoryTypes[type].propertyFlags & wanted) == wanted)
      allocate.memoryTypeIndex = type;
  void *mapped = nullptr;
  if (vkAllocateMemory(device, &allocate, nullptr, &made.memory) == VK_SUCCESS &&
      vkBindBufferMemory(device, made.buffer, made.memory, 0) == VK_SUCCESS)
    vkMapMemory(device, made.memory, 0, VK_WHOLE_SIZE, 0, &mapped);
  made.values = static_cast<int32_t *>(mapped);
  buffers.push_back(made);
  return made;
}

VkSemaphore BareVulkan::makeSemaphore(uint64_t initial) {
  VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  type.initialValue = initial;
  VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type};
  VkSemaphore semaphore = VK_NULL_HANDLE;
  vkCreateSemaphore(device, &info, nullptr, &semaphore);
  semaphores.push_back(semaphore);
  return semaphore;
}

uint64_t BareVulkan::valueOf(VkSemaphore semaphore) const {
  uint64_t value = 0;
  vkGetSemaphoreCounterValue(device, semaphore, &value);
  return value;
}

void BareVulkan::signal(VkSemaphore semaphore, uint64_t value) {
  VkSemaphoreSignalInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO};
  info.semaphore = semaphore;
  info.value = value;
  vkSignalSemaphore(device, &info);
}

bool BareVulkan::waitFor(VkSemaphore semaphore, uint64_t value, uint64_t nanoseconds) const {
  VkSemaphoreWaitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
  info.semaphoreCount = 1;
  info.pSemaphores = &semaphore;
  info.pValues = &value;
  return vkWaitSemaphores(device, &info, nanoseconds) == VK_SUCCESS;
}

void BareVulkan::submit(const Order &order, const std::function<void(VkCommandBuffer)> &record) {
  VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  allocate.commandPool = pool;
  allocate.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE; // freed together with the pool
  vkAllocateCommandBuffers(device, &allocate, &commands);
  VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  vkBeginCommandBuffer(commands, &begin);
  record(commands);
  vkEndCommandBuffer(commands);
  VkTimelineSemaphoreSubmitInfo values{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
  values.waitSemaphoreValueCount = order.waitFor ? 1 : 0;
  values.pWaitSemaphoreValues = &order.waitFor;
  values.signalSemaphoreValueCount = order.signal ? 1 : 0;
  values.pSignalSemaphoreValues = &order.signal;
  VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO, &values};
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  info.waitSemaphoreCount = values.waitSemaphoreValueCount;
  info.pWaitSemaphores = &order.semaphore;
  info.pWaitDstStageMask = &stage;
  info.signalSemaphoreCount = values.signalSemaphoreValueCount;
  info.pSignalSemaphores = &order.semaphore;
  vkQueueSubmit(queue, 1, &info, VK_NULL_HANDLE);
}

BareVulkan::~BareVulkan() {
  if (device) {
    vkDeviceWaitIdle(device);
    for (const HostVisible &one : buffers) {
      vkDestroyBuffer(device, one.buffer, nullptr);
      vkFreeMemory(device, one.memory, nullptr);
    }
    for (VkSemaphore semaphore : semaphores)
      vkDestroySemaphore(device, semaphore, nullptr);
    vkDestroyCommandPool(device, pool, nullptr);
    vkDestroyDevice(device, nullptr);
  }
  if (messenger)
    extension<PFN_vkDestroyDebugUtilsMessengerEXT>(instance, "vkDestroyDebugUtilsMessengerEXT")(
        instance, messenger, nullptr);
  if (instance)
    vkDestroyInstance(instance, nullptr);
  pumice_vulkan_wishes_release(wishes);
}

} // namespace pumice::capi_test
