//===- Buffer.h - memory of a Metal device ----------------------------------===//
#pragma once

#include "runtime/drivers/metal/Device.h"

namespace pumice::metal_driver {

class MetalBuffer final : public hal::Buffer {
public:
  static Result<Ref<hal::Buffer>> allocate(MetalDevice &device, uint64_t bytes,
                                           hal::MemoryKind kind);
  static Result<Ref<hal::Buffer>> import(MetalDevice &device, void *memory, uint64_t bytes);

  Object object() const { return buffer.get(); }

private:
  MetalBuffer(MetalDevice &device, const Description &description, Owned buffer);
  ~MetalBuffer() override;
  static Result<Ref<hal::Buffer>> finish(MetalDevice &device, Owned buffer, uint64_t bytes,
                                         hal::MemoryKind kind);

  Owned buffer;
};

} // namespace pumice::metal_driver
