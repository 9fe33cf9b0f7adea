//===- ProgramMemory.h - OpenCL's variables of program scope ----------------===//
// Kernels of one scope share memory if they describe the same variables. Usually these are all
// kernels of one module, unless a specialization constant changes the variables.
//===-------------------------------------------------------------------------===//
#pragma once

#include "executable/NativeCode.h"
#include "runtime/hal/ProgramScope.h"
#include "support/Status.h"

#include <vector>

namespace pumice::cpu_driver {

/// Memory that starts with the contents that `info` gives. Data that kernels write there persists.
class ProgramMemory final : public RefCounted {
public:
  /// Errors: ResourceExhausted.
  static Result<Ref<ProgramMemory>> create(const executable::NativeKernelInfo &info);
  ~ProgramMemory() override;

  void *address() const { return memory; }
  bool isFor(const executable::NativeKernelInfo &info) const;

private:
  ProgramMemory(const executable::NativeKernelInfo &info, void *memory);

  // This is a copy, because the code may be unloaded earlier.
  const uint64_t bytes;
  const std::vector<uint8_t> image;
  const std::vector<executable::NativeAddress> addresses;
  void *const memory;
};

/// Returns the memory for kernels with `info`, or null if their code has no such variables. The
/// first kernel creates the memory. Without a scope, it belongs to one kernel alone. Errors:
/// ResourceExhausted.
Result<Ref<ProgramMemory>> programMemory(hal::ProgramScope *scope,
                                         const executable::NativeKernelInfo &info);

} // namespace pumice::cpu_driver
