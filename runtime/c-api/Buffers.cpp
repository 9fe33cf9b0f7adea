//===- Buffers.cpp - the C API's buffers ------------------------------------===//
#include "runtime/c-api/ImportHost.h"

#include "support/EnglishText.h"
#include "support/Platform.h"

using namespace pumice;
using namespace pumice::capi;

static_assert(PUMICE_MEMORY_DEVICE == int(hal::MemoryKind::Device) &&
              PUMICE_MEMORY_HOST == int(hal::MemoryKind::Host) &&
              PUMICE_MEMORY_IMPORTED == int(hal::MemoryKind::Imported));

pumice_buffer::pumice_buffer(Ref<hal::Buffer> object, uint64_t base, uint64_t bytes,
                             std::function<void()> atRelease)
    : object(std::move(object)), base(base), bytes(bytes) {
  if (atRelease)
    this->atRelease = std::make_unique<std::function<void()>>(std::move(atRelease));
}

pumice_buffer::~pumice_buffer() {
  if (atRelease)
    (*atRelease)();
}

pumice_buffer *pumice_buffer::inside(Ref<hal::Buffer> object, uint64_t base, uint64_t bytes) {
  static_assert(sizeof(pumice_buffer) <= hal::Buffer::handleBytes &&
                alignof(pumice_buffer) <= alignof(uint64_t));
  void *room = object->handleRoom();
  return ::new (room) pumice_buffer(std::move(object), base, bytes);
}

void pumice_buffer::operator delete(pumice_buffer *handle, std::destroying_delete_t) {
  // The object may own the memory of the handle, so it is destroyed last.
  Ref<hal::Buffer> object = std::move(handle->object);
  bool inside = handle == object->handleRoom();
  handle->~pumice_buffer();
  if (!inside)
    ::operator delete(handle);
}

Result<hal::BufferRange> capi::rangeOf(const pumice_buffer *buffer, uint64_t offset, uint64_t bytes,
                                       std::string_view what) {
  PUMICE_RETURN_IF_ERROR(check(buffer, what));
  if (offset > buffer->bytes || (bytes != PUMICE_TO_END && bytes > buffer->bytes - offset))
    return invalid(std::string(what) + ": the range (offset " + std::to_string(offset) + ", " +
                   (bytes == PUMICE_TO_END ? "to the end" : counted(bytes, "byte")) +
                   ") is not in the buffer of " + counted(buffer->bytes, "byte"));
  if (bytes == PUMICE_TO_END)
    bytes = buffer->bytes - offset;
  return hal::BufferRange{buffer->object.get(), buffer->base + offset, bytes};
}

Result<pumice_buffer *> capi::importHost(pumice_device *device, void *memory, uint64_t bytes,
                                         std::function<void()> release, bool readOnly) {
  PUMICE_RETURN_IF_ERROR(check(device, "device"));
  auto address = reinterpret_cast<uintptr_t>(memory);
  if (memory && address < pageBytes())
    return invalid(
        "memory: address " + std::to_string(address) +
        " cannot be valid, since it is in the first page; pass the address of host memory");
  if (memory && bytes > UINTPTR_MAX - address)
    return invalid("memory: " + counted(bytes, "byte") +
                   " at this address reach beyond the end of the address space");
  // Memory consists of whole pages. So the range may be extended to the alignment within a page,
  // but not beyond it.
  uint64_t alignment = device->info.limits.hostImportAlignment;
  uint64_t before = 0, after = 0;
  if (memory && bytes && alignment && alignment <= pageBytes()) {
    before = address % alignment;
    after = (alignment - (before + bytes) % alignment) % alignment;
  }
  PUMICE_TRY(Ref<hal::Device> working, device->working());
  PUMICE_TRY(Ref<hal::Buffer> imported,
             working->importHost(static_cast<char *>(memory) - before, before + bytes + after));
  if (release)
    imported->whenDestroyed(std::move(release));
  if (readOnly)
    imported->forbidWrites();
  return pumice_buffer::inside(std::move(imported), before, bytes);
}

namespace {

Status create(pumice_device *device, uint64_t bytes, pumice_memory memory, pumice_buffer **place) {
  PUMICE_RETURN_IF_ERROR(clear(place, "buffer"));
  PUMICE_RETURN_IF_ERROR(check(device, "device"));
  if (memory != PUMICE_MEMORY_DEVICE && memory != PUMICE_MEMORY_HOST)
    return invalid("memory must be PUMICE_MEMORY_DEVICE or PUMICE_MEMORY_HOST, got " +
                   std::to_string(memory));
  PUMICE_TRY(Ref<hal::Device> working, device->working());
  PUMICE_TRY(Ref<hal::Buffer> made, working->allocate(bytes, static_cast<hal::MemoryKind>(memory)));
  *place = pumice_buffer::inside(std::move(made), 0, bytes);
  return Status::ok();
}

} // namespace

pumice_status pumice_buffer_create(pumice_device *device, uint64_t bytes, pumice_memory memory,
                                   pumice_buffer **buffer) {
  return answer(create(device, bytes, memory, buffer));
}

pumice_status pumice_buffer_import_host(pumice_device *device, void *memory, uint64_t bytes,
                                        pumice_release_callback release, void *user,
                                        pumice_buffer **buffer) {
  Status status = clear(buffer, "buffer");
  if (!status.isOk())
    return answer(std::move(status));
  std::function<void()> then;
  if (release)
    then = [release, user] { release(user); };
  Result<pumice_buffer *> imported = importHost(device, memory, bytes, std::move(then));
  if (!imported.isOk())
    return answer(Status(imported.status()));
  *buffer = *imported;
  return PUMICE_OK;
}

uint64_t pumice_buffer_bytes(const pumice_buffer *buffer) {
  return check(buffer, "buffer").isOk() ? buffer->bytes : 0;
}

pumice_memory pumice_buffer_memory(const pumice_buffer *buffer) {
  return check(buffer, "buffer").isOk() ? static_cast<pumice_memory>(buffer->object->kind())
                                        : PUMICE_MEMORY_DEVICE;
}

pumice_status pumice_buffer_health(const pumice_buffer *buffer) {
  Status status = check(buffer, "buffer");
  return answer(status.isOk() ? buffer->object->health() : std::move(status));
}

void *pumice_buffer_map(const pumice_buffer *buffer) {
  if (!check(buffer, "buffer").isOk() || !buffer->object->hostPointer())
    return nullptr;
  return buffer->object->hostPointer() + buffer->base;
}

uint64_t pumice_buffer_address(const pumice_buffer *buffer) {
  if (!check(buffer, "buffer").isOk() || !buffer->object->deviceAddress())
    return 0;
  return buffer->object->deviceAddress() + buffer->base;
}
