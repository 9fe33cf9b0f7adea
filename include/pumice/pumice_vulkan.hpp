//===- pumice_vulkan.hpp - pumice_vulkan.h with C++'s lifetimes and errors --===//
// This layer only consists of headers, in C++17. pumice_vulkan.h is the manual.
//===-------------------------------------------------------------------------===//
#pragma once

#include "pumice.hpp"
#include "pumice_vulkan.h"

namespace pumice {
inline namespace PUMICE_CPP_NAMESPACE {
namespace vulkan {

/// The extensions, features and queue family with which to create a VkDevice. Copies share the
/// lists.
class Wishes {
public:
  /// Lists the extensions and features of a VkPhysicalDevice that Pumice uses. `ownFeatures` is the
  /// application's chain of feature structures, or null. Features are enabled in these structures
  /// if they contain them.
  static Result<Wishes> of(const pumice_vulkan_physical_device &from, void *ownFeatures = nullptr) {
    pumice_vulkan_wishes *raw = nullptr;
    if (pumice_status code = pumice_vulkan_wishes_create(&from, ownFeatures, &raw))
      return Error::last(code);
    Wishes wishes;
    wishes.object.reset(raw, pumice_vulkan_wishes_release);
    auto info = told<pumice_vulkan_wishes_info>([&](pumice_vulkan_wishes_info *place) {
      return pumice_vulkan_wishes_get_info(raw, place);
    });
    if (!info)
      return info.error();
    wishes.lists = *info;
    return wishes;
  }
  /// Returns the device extensions to enable.
  std::vector<const char *> extensions() const {
    return {lists.extensions, lists.extensions + lists.extension_count};
  }
  /// Returns a chain of feature structures for VkDeviceCreateInfo::pNext, or null.
  void *features() const { return lists.features; }
  /// Returns the last structure of that chain. Its pNext may be set to another chain.
  void *lastFeature() const { return lists.last_feature; }
  /// Returns the best queue family for compute.
  uint32_t queueFamily() const { return lists.queue_family; }

private:
  Wishes() = default;
  std::shared_ptr<pumice_vulkan_wishes> object;
  pumice_vulkan_wishes_info lists{};
};

/// Makes a device that uses the application's VkDevice.
inline Result<Device> makeDevice(const pumice_vulkan_device_options &options) {
  return made<Device, pumice_device>(
      [&](pumice_device **place) { return pumice_vulkan_device_create(&options, place); });
}

/// Wraps a range of the application's VkBuffer. When the buffer and all work that uses it are gone,
/// `release`, if given, is called on any thread. If this function fails, it is not called.
inline Result<Buffer> wrapBuffer(const Device &device, const pumice_vulkan_buffer &range,
                                 std::function<void()> release = nullptr) {
  using Release = std::function<void()>;
  std::unique_ptr<Release> held(release ? new Release(std::move(release)) : nullptr);
  pumice_release_callback call = [](void *user) {
    std::unique_ptr<Release> last(static_cast<Release *>(user));
    (*last)();
  };
  auto buffer = made<Buffer, pumice_buffer>([&](pumice_buffer **place) {
    return pumice_vulkan_buffer_wrap(device.get(), &range, held ? call : nullptr, held.get(),
                                     place);
  });
  if (buffer)
    (void)held.release(); // owned by the callback
  return buffer;
}

/// Returns the VkBuffer of a buffer, and the range in it.
inline Result<pumice_vulkan_buffer> rangeOf(const Buffer &buffer) {
  return told<pumice_vulkan_buffer>(
      [&](pumice_vulkan_buffer *place) { return pumice_vulkan_buffer_get(buffer.get(), place); });
}

/// Makes a timeline that uses a semaphore of the application, or a new one.
inline Result<Timeline> makeTimeline(const Device &device, VkSemaphore semaphore = VK_NULL_HANDLE,
                                     uint64_t initial = 0) {
  return made<Timeline, pumice_timeline>([&](pumice_timeline **place) {
    return pumice_vulkan_timeline_create(device.get(), semaphore, initial, place);
  });
}

/// Returns the semaphore of a timeline.
inline Result<VkSemaphore> semaphoreOf(const Timeline &timeline) {
  VkSemaphore semaphore = VK_NULL_HANDLE;
  if (pumice_status code = pumice_vulkan_timeline_get(timeline.get(), &semaphore))
    return Error::last(code);
  return semaphore;
}

/// Creates a buffer whose memory `exportMemory` can export.
inline Result<Buffer>
makeExportable(const Device &device, uint64_t bytes, pumice_memory memory = PUMICE_MEMORY_DEVICE,
               uint32_t handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT) {
  return made<Buffer, pumice_buffer>([&](pumice_buffer **place) {
    return pumice_vulkan_buffer_create_exportable(device.get(), bytes, memory, handleType, place);
  });
}

/// Opens a file descriptor of the buffer's memory. The caller must close it.
inline Result<pumice_vulkan_memory_fd> exportMemory(const Buffer &buffer) {
  return told<pumice_vulkan_memory_fd>([&](pumice_vulkan_memory_fd *place) {
    return pumice_vulkan_buffer_export_fd(buffer.get(), place);
  });
}

/// Makes a buffer over the memory of a file descriptor.
inline Result<Buffer> importMemory(const Device &device, const pumice_vulkan_memory_fd &memory) {
  return made<Buffer, pumice_buffer>([&](pumice_buffer **place) {
    return pumice_vulkan_buffer_import_fd(device.get(), &memory, place);
  });
}

} // namespace vulkan
} // namespace PUMICE_CPP_NAMESPACE
} // namespace pumice
