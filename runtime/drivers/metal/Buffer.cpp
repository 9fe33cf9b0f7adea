//===- Buffer.cpp - memory of a Metal device --------------------------------===//
#include "runtime/drivers/metal/Buffer.h"

#include "support/EnglishText.h"

namespace pumice::metal_driver {

MetalBuffer::MetalBuffer(MetalDevice &device, const Description &description, Owned buffer)
    : Buffer(Ref<hal::Device>(&device), description), buffer(std::move(buffer)) {
  device.add(this);
}

MetalBuffer::~MetalBuffer() {
  auto &owner = static_cast<MetalDevice &>(device());
  owner.remove(this);
  if (owner.isAbandoned())
    buffer.abandon();
}

Result<Ref<hal::Buffer>> MetalBuffer::finish(MetalDevice &device, Owned buffer, uint64_t bytes,
                                             hal::MemoryKind kind) {
  if (!buffer)
    return Status(StatusCode::ResourceExhausted,
                  device.info().id + " has no memory for " + counted(bytes, "byte"));
  auto *contents = device.api.call<std::byte *>(buffer.get(), "contents");
  auto address = device.api.call<uint64_t>(buffer.get(), "gpuAddress");
  if (!contents || !address)
    return Status(StatusCode::ResourceExhausted,
                  device.info().id + " has no address for " + counted(bytes, "byte"));
  Description description{bytes, kind, address, contents};
  return Ref<hal::Buffer>::adopt(new MetalBuffer(device, description, std::move(buffer)));
}

Result<Ref<hal::Buffer>> MetalBuffer::allocate(MetalDevice &device, uint64_t bytes,
                                               hal::MemoryKind kind) {
  Pool pool(device.api);
  uint64_t whole = (bytes + 3) & ~uint64_t{3};
  Owned made(device.api, device.api.call(device.device.get(), "newBufferWithLength:options:",
                                         Integer{whole}, storageShared));
  return finish(device, std::move(made), bytes, kind);
}

Result<Ref<hal::Buffer>> MetalBuffer::import(MetalDevice &device, void *memory, uint64_t bytes) {
  Pool pool(device.api);
  Owned made(device.api, device.api.call(device.device.get(),
                                         "newBufferWithBytesNoCopy:length:options:deallocator:",
                                         memory, Integer{bytes}, storageShared, Object{nullptr}));
  return finish(device, std::move(made), bytes, hal::MemoryKind::Imported);
}

} // namespace pumice::metal_driver
