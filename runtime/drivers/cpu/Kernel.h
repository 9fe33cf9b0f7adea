//===- Kernel.h - native code of one entry point, ready to run ---------------===//
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
  /// Which of `bindings()` each of the code's own bindings is.
  std::span<const uint32_t> slots() const { return slotOf; }
  /// Of one workgroup, the dynamic part included.
  uint64_t workgroupMemoryBytes() const { return memoryBytes; }
  /// As long as the code reads, or as the launch gives, whichever is more.
  uint32_t pushConstantRoom() const { return pushRoom; }
  /// The source's line that an instruction of its code comes from; "" where nothing says it.
  std::string lineOf(uint64_t instruction) const;
  /// What its code shares with other kernels and keeps between launches; null: nothing.
  void *programAddress() const { return program ? program->address() : nullptr; }

  /// What one workgroup took lately, in nanoseconds of one thread; 0: it has not run yet. It only
  /// decides on which threads the next launch runs.
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
