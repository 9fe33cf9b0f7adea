//===- Kernel.h - native code of one entry point, ready to run --------------===//
#pragma once

#include "runtime/drivers/cpu/NativeModule.h"
#include "runtime/drivers/cpu/ProgramMemory.h"
#include "runtime/hal/Kernel.h"

#include <atomic>

namespace pumice::cpu_driver {

class CpuDevice;

class CpuKernel final : public hal::Kernel {
public:
  static Result<Ref<CpuKernel>> create(CpuDevice &device, const hal::KernelSource &source);

  const executable::NativeKernelInfo &info() const { return module->info(); }
  /// For each binding of the code, returns its index in `bindings()`.
  std::span<const uint32_t> slots() const { return slotOf; }
  /// Returns the bytes of workgroup memory for one workgroup, including the dynamic part.
  uint64_t workgroupMemoryBytes() const { return memoryBytes; }
  /// Returns the size of the push constants: that of the code or that of the launch, whichever is
  /// larger.
  uint32_t pushConstantRoom() const { return pushRoom; }
  /// Returns the source line of an instruction of the kernel, or "" if it is unknown.
  std::string lineOf(uint64_t instruction) const;
  /// Returns the memory that this kernel may share with others, and that persists between launches,
  /// or null.
  void *programAddress() const { return program ? program->address() : nullptr; }

  /// Returns how long one workgroup took recently, in nanoseconds on one thread, or 0 before the
  /// first run. The value only decides which threads run the next launch.
  float groupNanoseconds() const { return estimate.load(std::memory_order_relaxed); }
  void measured(double nanoseconds, uint64_t groups) const;

private:
  CpuKernel(CpuDevice &device, const hal::KernelSource &source, Ref<NativeModule> module,
            Ref<ProgramMemory> program);
  Status bind(const hal::KernelSource &source);

  Ref<NativeModule> module;
  Ref<ProgramMemory> program;
  std::vector<uint32_t> slotOf;
  uint64_t memoryBytes;
  uint32_t pushRoom;
  mutable std::atomic<float> estimate = 0;
};

} // namespace pumice::cpu_driver
