//===- Buffer.h - memory of the host, which the device shares ---------------===//
#pragma once

#include "runtime/hal/Device.h"

namespace pumice::cpu_driver {

class CpuDevice;

class CpuBuffer final : public hal::Buffer {
public:
  static Result<Ref<hal::Buffer>> allocate(CpuDevice &device, uint64_t bytes, hal::MemoryKind kind);
  static Ref<hal::Buffer> import(CpuDevice &device, void *memory, uint64_t bytes);

private:
  CpuBuffer(CpuDevice &device, uint64_t bytes, hal::MemoryKind kind, void *memory);
  ~CpuBuffer() override;

  void *owned;
};

} // namespace pumice::cpu_driver
