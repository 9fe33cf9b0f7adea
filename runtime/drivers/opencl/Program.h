//===- Program.h - a module that the device's driver has compiled -----------===//
#pragma once

#include "runtime/drivers/opencl/Context.h"
#include "runtime/hal/Kernel.h"
#include "support/DiskCache.h"

#include <map>
#include <mutex>

namespace pumice::opencl_driver {

/// A compiled module. Its kernels share the variables of program scope.
class Program final : public RefCounted {
public:
  Program(std::shared_ptr<const Context> context, cl_program handle)
      : context(std::move(context)), handle(handle) {}

  const std::shared_ptr<const Context> context; // kept, because a scope may outlive the device
  const cl_program handle;

private:
  ~Program() override;
};

/// The input of the driver's compiler. A required subgroup size is part of the code.
struct ProgramSource {
  std::span<const uint8_t> code;
  std::vector<hal::SpecializationConstant> constants; // booleans have 1 byte here
};

/// The programs of one loaded module. Different specializations are different programs.
class ScopePrograms final : public RefCounted {
public:
  /// Returns the program, which the first call compiles, or takes from `disk`. Errors: those of the
  /// driver's compiler, with its log.
  Result<Ref<Program>> get(const std::shared_ptr<const Context> &context,
                           const std::optional<DiskCache> &disk, const ProgramSource &source);

private:
  std::mutex mutex; // also held while a program is compiled
  std::map<std::string, Ref<Program>, std::less<>> programs;
};

} // namespace pumice::opencl_driver
