//===- Buffer.h - memory of an OpenCL device --------------------------------===//
#pragma once

#include "runtime/drivers/opencl/Memory.h"
#include "runtime/hal/Device.h"

#include <atomic>

namespace pumice::opencl_driver {

class OpenClDevice;

class OpenClBuffer final : public hal::Buffer {
public:
  static Result<Ref<hal::Buffer>> allocate(OpenClDevice &device, uint64_t bytes,
                                           hal::MemoryKind kind);
  static Ref<hal::Buffer> import(OpenClDevice &device, void *memory, uint64_t bytes);

  /// Returns the allocation, or null for imported memory.
  const Allocation *allocation() const { return owned; }

private:
  OpenClBuffer(OpenClDevice &device, const Description &description, const Allocation *owned);
  ~OpenClBuffer() override;

  const Allocation *owned;
};

} // namespace pumice::opencl_driver
