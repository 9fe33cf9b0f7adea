//===- Instance.cpp - the connection to Vulkan's loader ---------------------===//
#include "runtime/drivers/vulkan/Instance.h"

#include "runtime/drivers/vulkan/Patience.h"
#include "runtime/hal/Log.h"
#include "support/Platform.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace pumice::vulkan {
namespace {

constexpr const char *validationLayer = "VK_LAYER_KHRONOS_validation";
constexpr const char *validationVariable = "PUMICE_VULKAN_VALIDATION";

std::atomic<uint64_t> messages{0};

// This mutex is held while volk's global function pointers are written. Afterwards, they are only
// read. They point into the loader, which is the same for all instances.
std::mutex loaderMutex;
bool globalsLoaded = false;

// The error if there is no loader. It names the system's loader and what installs it.
#if defined(__APPLE__)
constexpr const char *noLoader = "no Vulkan loader (libvulkan.1.dylib) is installed: install one "
                                 "(Homebrew: vulkan-loader and molten-vk)";
#elif defined(_WIN32)
constexpr const char *noLoader = "no Vulkan loader (vulkan-1.dll) is installed: install the GPU's "
                                 "driver, which contains it";
#else
constexpr const char *noLoader =
    "no Vulkan loader (libvulkan.so.1) is installed: install one (Debian: libvulkan1)";
#endif

/// Opens the loader. macOS does not search the folders of its package managers.
VkResult openLoader() {
  VkResult result = volkInitialize();
#ifdef __APPLE__
  for (const char *path :
       {"/opt/homebrew/lib/libvulkan.1.dylib", "/usr/local/lib/libvulkan.1.dylib"}) {
    if (result == VK_SUCCESS)
      break;
    Result<SharedLibrary> loader = SharedLibrary::open(path);
    void *function = loader.isOk() ? loader->symbol("vkGetInstanceProcAddr") : nullptr;
    if (!function)
      continue;
    volkInitializeCustom(reinterpret_cast<PFN_vkGetInstanceProcAddr>(function));
    result = VK_SUCCESS;
  }
#endif
  return result;
}

Status loadLoader() {
  std::lock_guard lock(loaderMutex);
  static const VkResult result = openLoader();
  if (result != VK_SUCCESS)
    return Status(StatusCode::NotFound, noLoader);
  return Status::ok();
}

/// Sets vkGetDeviceProcAddr, the only global of volk that volkLoadDeviceTable reads.
void loadGlobals(VkInstance instance) {
  std::lock_guard lock(loaderMutex);
  if (!globalsLoaded)
    volkLoadInstanceOnly(instance);
  globalsLoaded = true;
}

VKAPI_ATTR VkBool32 VKAPI_CALL onMessage(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                         VkDebugUtilsMessageTypeFlagsEXT,
                                         const VkDebugUtilsMessengerCallbackDataEXT *data, void *) {
  // The validation layer cannot check structures that are newer than the layer. The device did
  // report that it supports them.
  for (const char *newer : {"unknown VkStructureType", "is not supported by this layer"})
    if (std::strstr(data->pMessage, newer))
      return VK_FALSE;
  messages.fetch_add(1, std::memory_order_relaxed);
  std::string text = std::string("Vulkan validation: ") + data->pMessage;
  if (!hal::log(hal::LogLevel::Warning, text))
    std::fprintf(stderr, "pumice: %s\n", text.c_str());
  return VK_FALSE; // the call continues as without the layer
}

VkDebugUtilsMessengerCreateInfoEXT messengerInfo() {
  VkDebugUtilsMessengerCreateInfoEXT info{VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
  info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                         VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                     VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
  info.pfnUserCallback = onMessage;
  return info;
}

Result<bool> layerHasExtension(const char *layer, const char *name) {
  std::vector<VkExtensionProperties> found;
  VkResult result = enumerate(found, [&](uint32_t *count, VkExtensionProperties *items) {
    return PUMICE_VK(::, vkEnumerateInstanceExtensionProperties, layer, count, items);
  });
  PUMICE_RETURN_IF_ERROR(toStatus(result, "vkEnumerateInstanceExtensionProperties"));
  return std::ranges::any_of(
      found, [&](const auto &item) { return !std::strcmp(item.extensionName, name); });
}

Status requireValidationLayer() {
  std::vector<VkLayerProperties> found;
  VkResult result = enumerate(found, [&](uint32_t *count, VkLayerProperties *items) {
    return PUMICE_VK(::, vkEnumerateInstanceLayerProperties, count, items);
  });
  PUMICE_RETURN_IF_ERROR(toStatus(result, "vkEnumerateInstanceLayerProperties"));
  if (std::ranges::none_of(
          found, [&](const auto &item) { return !std::strcmp(item.layerName, validationLayer); }))
    return Status(StatusCode::Unsupported,
                  std::string(validationVariable) + " asks for the layer " + validationLayer +
                      ", which is not installed: install it (Debian: vulkan-validationlayers), or "
                      "unset the variable");
  PUMICE_TRY(bool speaks, layerHasExtension(validationLayer, VK_EXT_DEBUG_UTILS_EXTENSION_NAME));
  if (!speaks)
    return Status(StatusCode::Unsupported,
                  std::string(validationLayer) + " lacks VK_EXT_debug_utils: install a newer one");
  return Status::ok();
}

} // namespace

Result<InstanceOptions> InstanceOptions::fromEnvironment() {
  const char *text = std::getenv(validationVariable);
  std::string_view value = text ? text : "";
  if (value != "" && value != "0" && value != "1")
    return Status(StatusCode::InvalidArgument, std::string(validationVariable) + " is '" +
                                                   std::string(value) + "'; expected 0 or 1");
  return InstanceOptions{value == "1"};
}

std::unique_lock<std::mutex> holdLoader() { return std::unique_lock(loaderMutex); }

uint64_t Instance::validationMessages() { return messages.load(std::memory_order_relaxed); }

Result<Ref<Instance>> Instance::create(const InstanceOptions &options) {
  PUMICE_RETURN_IF_ERROR(loadLoader());
  Ref<Instance> created = Ref<Instance>::adopt(new Instance());
  PUMICE_RETURN_IF_ERROR(created->start(options));
  return created;
}

Result<Ref<Instance>> Instance::adopt(VkInstance instance, uint32_t version,
                                      PFN_vkGetInstanceProcAddr getProcAddr) {
  if (!getProcAddr)
    PUMICE_RETURN_IF_ERROR(loadLoader());
  Ref<Instance> adopted = Ref<Instance>::adopt(new Instance());
  adopted->instance = instance;
  adopted->apiVersion = version;
  adopted->owned = false;
  if (getProcAddr)
    adopted->deviceProcAddr =
        reinterpret_cast<PFN_vkGetDeviceProcAddr>(getProcAddr(instance, "vkGetDeviceProcAddr"));
  else
    loadGlobals(instance);
  PUMICE_RETURN_IF_ERROR(
      adopted->loadFunctions(getProcAddr ? getProcAddr : ::vkGetInstanceProcAddr));
  return adopted;
}

Instance::~Instance() {
  if (!owned || isLeftBehind())
    return;
  if (messenger)
    vk.vkDestroyDebugUtilsMessengerEXT(instance, messenger, nullptr);
  std::unique_lock lock = holdLoader();
  if (instance && vk.vkDestroyInstance)
    vk.vkDestroyInstance(instance, nullptr);
}

Status Instance::start(const InstanceOptions &options) {
  // Loaders of Vulkan 1.0 do not have this function.
  uint32_t loader = VK_API_VERSION_1_0;
  if (vkEnumerateInstanceVersion)
    PUMICE_RETURN_IF_ERROR(PUMICE_VK_STATUS(::, vkEnumerateInstanceVersion, &loader));
  if (loader < VK_API_VERSION_1_1)
    return Status(StatusCode::Unsupported,
                  "the Vulkan loader is of version 1.0; 1.1 or newer is needed");

  VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.pApplicationName = "pumice";
  application.pEngineName = "pumice";
  // Some drivers (SwiftShader) reject versions newer than their own, and the loader then omits them
  // silently. So this requests only 1.3. Newer functions are used through their extensions.
  application.apiVersion = apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo create{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  create.pApplicationInfo = &application;

  std::vector<const char *> extensions, layers;
  VkDebugUtilsMessengerCreateInfoEXT listener = messengerInfo();
  if (options.validation) {
    PUMICE_RETURN_IF_ERROR(requireValidationLayer());
    layers.push_back(validationLayer);
    extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
    create.pNext = &listener; // reports messages of creating and destroying the instance
  }
  create.enabledLayerCount = static_cast<uint32_t>(layers.size());
  create.ppEnabledLayerNames = layers.data();
  // MoltenVK is a portability driver. The loader shows its devices only to instances with this
  // extension. To ask the loader first whether it knows the extension would load and unload every
  // driver, which takes 100 ms with NVIDIA's driver.
  extensions.push_back(VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME);
  create.flags = VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
  create.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  create.ppEnabledExtensionNames = extensions.data();

  VkResult result = VK_SUCCESS;
  Status created = tryPatiently(startPatience(), "vkCreateInstance", [&] {
    std::unique_lock lock = holdLoader();
    result = PUMICE_VK(::, vkCreateInstance, &create, nullptr, &instance);
    if (result == VK_ERROR_EXTENSION_NOT_PRESENT && create.flags) { // a loader from before 2022
      create.flags = 0;
      --create.enabledExtensionCount;
      result = PUMICE_VK(::, vkCreateInstance, &create, nullptr, &instance);
    }
    return result;
  });
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
    return Status(StatusCode::NotFound,
                  "the Vulkan loader found no driver that starts: install one (Debian: "
                  "mesa-vulkan-drivers), or name its file in VK_DRIVER_FILES");
  PUMICE_RETURN_IF_ERROR(created);
  loadGlobals(instance);
  PUMICE_RETURN_IF_ERROR(loadFunctions(::vkGetInstanceProcAddr));
  if (options.validation)
    PUMICE_RETURN_IF_ERROR(PUMICE_VK_STATUS(vk., vkCreateDebugUtilsMessengerEXT, instance,
                                            &listener, nullptr, &messenger));
  return Status::ok();
}

Status Instance::loadFunctions(PFN_vkGetInstanceProcAddr getProcAddr) {
  const char *missing = nullptr;
  auto load = [&](auto &function, const char *name, bool required) {
    function =
        reinterpret_cast<std::remove_reference_t<decltype(function)>>(getProcAddr(instance, name));
    if (required && !function && !missing)
      missing = name;
  };
#define PUMICE_VK_LOAD(name) load(vk.name, #name, true);
  PUMICE_VK_INSTANCE_FUNCTIONS(PUMICE_VK_LOAD)
#undef PUMICE_VK_LOAD
  load(vk.vkCreateDebugUtilsMessengerEXT, "vkCreateDebugUtilsMessengerEXT", false);
  load(vk.vkDestroyDebugUtilsMessengerEXT, "vkDestroyDebugUtilsMessengerEXT", false);
  load(vk.vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR,
       "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR", false);
  if (missing)
    return Status(StatusCode::Unsupported,
                  std::string("the Vulkan loader lacks ") + missing + " of Vulkan 1.1");
  return Status::ok();
}

Result<std::vector<VkPhysicalDevice>> Instance::physicalDevices() const {
  std::vector<VkPhysicalDevice> devices;
  // A driver that is installed without its GPU always fails. So retries stop once they have failed.
  static std::atomic<bool> failedForGood = false;
  auto patience = failedForGood ? std::chrono::milliseconds(0) : startPatience();
  Status status = tryPatiently(patience, "vkEnumeratePhysicalDevices", [&] {
    return enumerate(devices, [&](uint32_t *count, VkPhysicalDevice *items) {
      return PUMICE_VK(vk., vkEnumeratePhysicalDevices, instance, count, items);
    });
  });
  failedForGood = !status.isOk();
  PUMICE_RETURN_IF_ERROR(status);
  return devices;
}

} // namespace pumice::vulkan
