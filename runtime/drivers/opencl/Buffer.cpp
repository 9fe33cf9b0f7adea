//===- Buffer.cpp - memory of an OpenCL device ------------------------------===//
#include "runtime/drivers/opencl/Buffer.h"

#include "runtime/drivers/opencl/Device.h"

namespace pumice::opencl_driver {

OpenClBuffer::OpenClBuffer(OpenClDevice &device, const Description &description,
                           const Allocation *owned)
    : Buffer(Ref<hal::Device>(&device), description), owned(owned) {}

OpenClBuffer::~OpenClBuffer() {
  if (owned)
    static_cast<OpenClDevice &>(device()).memory.free(owned);
}

Result<Ref<hal::Buffer>> OpenClBuffer::allocate(OpenClDevice &device, uint64_t bytes,
                                                hal::MemoryKind kind) {
  Result<const Allocation *> made = device.memory.allocate(bytes, kind);
  if (!made.isOk())
    return device.noted(made.status());
  const Allocation &allocation = **made;
  Description description{bytes, kind, allocation.address, allocation.host};
  return Ref<hal::Buffer>::adopt(new OpenClBuffer(device, description, &allocation));
}

Ref<hal::Buffer> OpenClBuffer::import(OpenClDevice &device, void *memory, uint64_t bytes) {
  Description description{bytes, hal::MemoryKind::Imported, reinterpret_cast<uintptr_t>(memory),
                          static_cast<std::byte *>(memory)};
  return Ref<hal::Buffer>::adopt(new OpenClBuffer(device, description, nullptr));
}

} // namespace pumice::opencl_driver
