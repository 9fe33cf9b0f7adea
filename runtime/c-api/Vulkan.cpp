//===- Vulkan.cpp - the C API on an application's Vulkan objects ------------===//
#define VK_NO_PROTOTYPES
#include "include/pumice/pumice_vulkan.h"
#include "runtime/c-api/Handles.h"
#include "runtime/drivers/vulkan/AdoptDevice.h"

using namespace pumice;
using namespace pumice::capi;

PUMICE_LAST_FIELD(pumice_vulkan_wishes_info, last_feature);
PUMICE_LAST_FIELD(pumice_vulkan_device_options, released_user);
PUMICE_LAST_FIELD(pumice_vulkan_buffer, bytes);
PUMICE_LAST_FIELD(pumice_vulkan_memory_fd, bytes);

struct pumice_vulkan_wishes : HandleOf<Kind::VulkanWishes> {
  vulkan::Wishes wishes;
  std::vector<const char *> extensions;
};

namespace {

vulkan::LentInstance toHal(const pumice_vulkan_physical_device &from) {
  return {from.instance, from.physical_device, from.api_version, from.get_instance_proc_addr};
}

Status createWishes(const pumice_vulkan_physical_device *from, void *own,
                    pumice_vulkan_wishes **place) {
  PUMICE_RETURN_IF_ERROR(clear(place, "wishes"));
  if (!from)
    return invalid("from is NULL; a physical device is needed");
  PUMICE_TRY(vulkan::Wishes wishes, vulkan::wishesFor(toHal(*from), own));
  auto made = std::make_unique<pumice_vulkan_wishes>();
  made->wishes = std::move(wishes);
  for (const std::string &name : made->wishes.extensions)
    made->extensions.push_back(name.c_str());
  *place = made.release();
  return Status::ok();
}

Status wishesInfo(const pumice_vulkan_wishes *wishes, pumice_vulkan_wishes_info *place) {
  PUMICE_RETURN_IF_ERROR(check(wishes, "wishes"));
  pumice_vulkan_wishes_info info = PUMICE_INIT(pumice_vulkan_wishes_info);
  info.extensions = wishes->extensions.data();
  info.extension_count = static_cast<uint32_t>(wishes->extensions.size());
  info.queue_family = wishes->wishes.queueFamily;
  info.features = wishes->wishes.features->first();
  info.last_feature = wishes->wishes.features->last();
  return writeStruct(place, info, "info");
}

Status createDevice(const pumice_vulkan_device_options *options, pumice_device **place) {
  PUMICE_RETURN_IF_ERROR(clear(place, "device"));
  if (!options)
    return invalid("options is NULL; they name the device to use");
  PUMICE_TRY(pumice_vulkan_device_options given, readStruct(options, "options"));
  vulkan::LentDevice lent{
      .from = toHal(given.from),
      .device = given.device,
      .create = given.create_info,
      .queueFamily = given.queue_family,
      .queueIndex = given.queue_index,
      .lock = {given.lock_queue, given.unlock_queue, given.queue_user},
  };
  if (given.released)
    lent.released = [release = given.released, user = given.released_user] { release(user); };
  PUMICE_TRY(Ref<hal::Device> device, vulkan::adoptDevice(std::move(lent)));
  *place = handleOf(std::move(device), true);
  return Status::ok();
}

/// Returns the latest generation of the device, on which new objects can be made.
Result<vulkan::VulkanDevice *> vulkanDevice(pumice_device *device, Ref<hal::Device> &kept) {
  PUMICE_RETURN_IF_ERROR(check(device, "device"));
  PUMICE_TRY(kept, device->working());
  return vulkan::asVulkan(*kept);
}

Result<const vulkan::VulkanBuffer *> vulkanBuffer(const pumice_buffer *buffer) {
  PUMICE_RETURN_IF_ERROR(check(buffer, "buffer"));
  PUMICE_RETURN_IF_ERROR(vulkan::asVulkan(buffer->object->device()).status());
  return static_cast<const vulkan::VulkanBuffer *>(buffer->object.get());
}

void give(Ref<vulkan::VulkanBuffer> made, pumice_buffer **place) {
  uint64_t bytes = made->bytes();
  *place = pumice_buffer::inside(Ref<hal::Buffer>(std::move(made)), 0, bytes);
}

Status wrap(pumice_device *device, const pumice_vulkan_buffer *range,
            pumice_release_callback release, void *user, pumice_buffer **place) {
  PUMICE_RETURN_IF_ERROR(clear(place, "buffer"));
  if (!range)
    return invalid("range is NULL; it names a VkBuffer");
  Ref<hal::Device> kept;
  PUMICE_TRY(vulkan::VulkanDevice * vulkan, vulkanDevice(device, kept));
  PUMICE_TRY(pumice_vulkan_buffer given, readStruct(range, "range"));
  uint64_t bytes = given.bytes;
  if (bytes == PUMICE_TO_END)
    bytes = given.offset < given.size ? given.size - given.offset : 0;
  PUMICE_TRY(Ref<vulkan::VulkanBuffer> made,
             vulkan::VulkanBuffer::wrap(
                 *vulkan, {given.buffer, given.size, given.offset, given.usage}, bytes));
  if (release)
    made->whenDestroyed([release, user] { release(user); });
  give(std::move(made), place);
  return Status::ok();
}

Status getBuffer(const pumice_buffer *buffer, pumice_vulkan_buffer *place) {
  PUMICE_TRY(const vulkan::VulkanBuffer *vulkan, vulkanBuffer(buffer));
  pumice_vulkan_buffer range = PUMICE_INIT(pumice_vulkan_buffer);
  range.buffer = vulkan->handle();
  range.usage = vulkan->whole().usage;
  range.size = vulkan->whole().size;
  range.offset = vulkan->base() + buffer->base;
  range.bytes = buffer->bytes;
  return writeStruct(place, range, "range");
}

Status createTimeline(pumice_device *device, VkSemaphore semaphore, uint64_t initial,
                      pumice_timeline **place) {
  PUMICE_RETURN_IF_ERROR(clear(place, "timeline"));
  Ref<hal::Device> kept;
  PUMICE_TRY(vulkan::VulkanDevice * vulkan, vulkanDevice(device, kept));
  if (semaphore && initial)
    return invalid("initial is " + std::to_string(initial) +
                   "; it must be 0 for a semaphore of the application, which has a value already");
  PUMICE_TRY(Ref<vulkan::VulkanTimeline> made,
             semaphore ? vulkan::VulkanTimeline::adopt(*vulkan, semaphore)
                       : vulkan::VulkanTimeline::createShared(*vulkan, initial));
  *place = new pumice_timeline;
  (*place)->object = std::move(made);
  return Status::ok();
}

Status getTimeline(const pumice_timeline *timeline, VkSemaphore *place) {
  PUMICE_RETURN_IF_ERROR(clear(place, "semaphore"));
  PUMICE_RETURN_IF_ERROR(check(timeline, "timeline"));
  PUMICE_RETURN_IF_ERROR(vulkan::asVulkan(timeline->object->device()).status());
  *place = static_cast<vulkan::VulkanTimeline *>(timeline->object.get())->semaphore();
  if (*place)
    return Status::ok();
  return Status(StatusCode::Unsupported,
                "the timeline has no semaphore; create it with pumice_vulkan_timeline_create");
}

Status createExportable(pumice_device *device, uint64_t bytes, pumice_memory memory, uint32_t type,
                        pumice_buffer **place) {
  PUMICE_RETURN_IF_ERROR(clear(place, "buffer"));
  if (memory != PUMICE_MEMORY_DEVICE && memory != PUMICE_MEMORY_HOST)
    return invalid("memory must be PUMICE_MEMORY_DEVICE or PUMICE_MEMORY_HOST, got " +
                   std::to_string(memory));
  if (bytes == 0)
    return invalid("a buffer needs at least one byte");
  Ref<hal::Device> kept;
  PUMICE_TRY(vulkan::VulkanDevice * vulkan, vulkanDevice(device, kept));
  if (bytes > vulkan->info().limits.maxBufferBytes)
    return Status(StatusCode::ResourceExhausted,
                  "a buffer of " + std::to_string(bytes) + " bytes is too large; the limit of " +
                      vulkan->info().id + " is " +
                      std::to_string(vulkan->info().limits.maxBufferBytes));
  PUMICE_TRY(Ref<vulkan::VulkanBuffer> made,
             vulkan::VulkanBuffer::createExportable(*vulkan, bytes,
                                                    static_cast<hal::MemoryKind>(memory),
                                                    static_cast<vulkan::MemoryHandleType>(type)));
  give(std::move(made), place);
  return Status::ok();
}

Status exportFd(const pumice_buffer *buffer, pumice_vulkan_memory_fd *place) {
  pumice_vulkan_memory_fd memory = PUMICE_INIT(pumice_vulkan_memory_fd);
  memory.fd = -1;
  PUMICE_RETURN_IF_ERROR(writeStruct(place, memory, "memory"));
  PUMICE_TRY(const vulkan::VulkanBuffer *vulkan, vulkanBuffer(buffer));
  PUMICE_TRY(vulkan::SharedMemory shared, vulkan->exportMemory());
  memory.fd = shared.fd;
  memory.handle_type = shared.type;
  memory.allocation_bytes = shared.allocationBytes;
  memory.memory_type = shared.memoryType;
  memory.dedicated = shared.dedicated;
  memory.offset = shared.offset;
  memory.bytes = shared.bytes;
  return writeStruct(place, memory, "memory");
}

Status importFd(pumice_device *device, const pumice_vulkan_memory_fd *memory,
                pumice_buffer **place) {
  PUMICE_RETURN_IF_ERROR(clear(place, "buffer"));
  if (!memory)
    return invalid("memory is NULL; it names a file descriptor");
  Ref<hal::Device> kept;
  PUMICE_TRY(vulkan::VulkanDevice * vulkan, vulkanDevice(device, kept));
  PUMICE_TRY(pumice_vulkan_memory_fd given, readStruct(memory, "memory"));
  if (given.dedicated > 1)
    return invalid("memory: dedicated is " + std::to_string(given.dedicated) + "; expected 0 or 1");
  vulkan::SharedMemory shared{
      .fd = given.fd,
      .type = static_cast<vulkan::MemoryHandleType>(given.handle_type),
      .allocationBytes = given.allocation_bytes,
      .memoryType = given.memory_type,
      .dedicated = given.dedicated != 0,
      .offset = given.offset,
      .bytes = given.bytes,
  };
  PUMICE_TRY(Ref<vulkan::VulkanBuffer> made, vulkan::VulkanBuffer::importMemory(*vulkan, shared));
  give(std::move(made), place);
  return Status::ok();
}

} // namespace

pumice_status pumice_vulkan_wishes_create(const pumice_vulkan_physical_device *from,
                                          void *own_features, pumice_vulkan_wishes **wishes) {
  return answer(createWishes(from, own_features, wishes));
}

pumice_status pumice_vulkan_wishes_get_info(const pumice_vulkan_wishes *wishes,
                                            pumice_vulkan_wishes_info *info) {
  return answer(wishesInfo(wishes, info));
}

void pumice_vulkan_wishes_release(pumice_vulkan_wishes *wishes) { releaseHandle(wishes); }

pumice_status pumice_vulkan_device_create(const pumice_vulkan_device_options *options,
                                          pumice_device **device) {
  return answer(createDevice(options, device));
}

pumice_status pumice_vulkan_buffer_wrap(pumice_device *device, const pumice_vulkan_buffer *range,
                                        pumice_release_callback release, void *user,
                                        pumice_buffer **buffer) {
  return answer(wrap(device, range, release, user, buffer));
}

pumice_status pumice_vulkan_buffer_get(const pumice_buffer *buffer, pumice_vulkan_buffer *range) {
  return answer(getBuffer(buffer, range));
}

pumice_status pumice_vulkan_timeline_create(pumice_device *device, VkSemaphore semaphore,
                                            uint64_t initial, pumice_timeline **timeline) {
  return answer(createTimeline(device, semaphore, initial, timeline));
}

pumice_status pumice_vulkan_timeline_get(const pumice_timeline *timeline, VkSemaphore *semaphore) {
  return answer(getTimeline(timeline, semaphore));
}

pumice_status pumice_vulkan_buffer_create_exportable(pumice_device *device, uint64_t bytes,
                                                     pumice_memory memory, uint32_t handle_type,
                                                     pumice_buffer **buffer) {
  return answer(createExportable(device, bytes, memory, handle_type, buffer));
}

pumice_status pumice_vulkan_buffer_export_fd(const pumice_buffer *buffer,
                                             pumice_vulkan_memory_fd *memory) {
  return answer(exportFd(buffer, memory));
}

pumice_status pumice_vulkan_buffer_import_fd(pumice_device *device,
                                             const pumice_vulkan_memory_fd *memory,
                                             pumice_buffer **buffer) {
  return answer(importFd(device, memory, buffer));
}
