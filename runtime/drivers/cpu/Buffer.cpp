//===- Buffer.cpp - host memory that is also the device's memory ------------===//
#include "runtime/drivers/cpu/Buffer.h"

#include "runtime/drivers/cpu/Device.h"
#include "runtime/drivers/cpu/Memory.h"
#include "support/EnglishText.h"

namespace pumice::cpu_driver {

CpuBuffer::CpuBuffer(CpuDevice &device, uint64_t bytes, hal::MemoryKind kind, void *memory)
    : Buffer(Ref<hal::Device>(&device),
             {bytes, kind, reinterpret_cast<uintptr_t>(memory), static_cast<std::byte *>(memory)}),
      owned(kind == hal::MemoryKind::Imported ? nullptr : memory) {
  device.memory.add(deviceAddress(), bytes);
}

CpuBuffer::~CpuBuffer() {
  auto &owner = static_cast<CpuDevice &>(device());
  owner.memory.remove(deviceAddress(), bytes());
  freeGuarded(owned, bytes(), owner.guards);
}

Result<Ref<hal::Buffer>> CpuBuffer::allocate(CpuDevice &device, uint64_t bytes,
                                             hal::MemoryKind kind) {
  void *memory = allocateGuarded(bytes, device.guards); // rounded up to whole words
  if (!memory)
    return Status(StatusCode::ResourceExhausted,
                  "the system has no memory left for a buffer of " + counted(bytes, "byte"));
  return Ref<hal::Buffer>::adopt(new CpuBuffer(device, bytes, kind, memory));
}

Ref<hal::Buffer> CpuBuffer::import(CpuDevice &device, void *memory, uint64_t bytes) {
  return Ref<hal::Buffer>::adopt(new CpuBuffer(device, bytes, hal::MemoryKind::Imported, memory));
}

} // namespace pumice::cpu_driver
