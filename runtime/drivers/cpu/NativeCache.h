//===- NativeCache.h - compiled once, found in memory or on disk later -------===//
// SPIR-V becomes native code in the compiler library, which is loaded only where nobody has
// compiled the same before, in this process or another. What is on disk holds its whole key: it is
// taken only where every byte of that is the same. Thread-safe.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/cpu/NativeModule.h"
#include "runtime/hal/Kernel.h"
#include "support/CompilerInterface.h"
#include "support/DiskCache.h"
#include "support/ForkSafety.h"

#include <functional>
#include <map>
#include <optional>

namespace pumice::cpu_driver {

class NativeCache {
public:
  /// The bytes of a shared object for a source of kind VulkanSpirv.
  using Compile = std::function<Result<std::vector<uint8_t>>(const hal::KernelSource &source)>;

  /// `identity` names what compiles, and for which processor: other code for another one.
  NativeCache(std::optional<DiskCache> disk, std::string identity, Compile compile)
      : disk(std::move(disk)), identity(std::move(identity)), compile(std::move(compile)) {}

  /// The kernel of a source of kind VulkanSpirv. Errors: the compiler's.
  Result<Ref<NativeModule>> get(const hal::KernelSource &source);

private:
  Ref<NativeModule> find(const std::string &key);
  Ref<NativeModule> readDisk(const std::string &key, const hal::KernelSource &source);
  Ref<NativeModule> keep(std::string key, Ref<NativeModule> module);

  const std::optional<DiskCache> disk;
  const std::string identity;
  const Compile compile;
  ForkSafeMutex mutex;                                           // of what follows
  std::map<std::string, Ref<NativeModule>, std::less<>> modules; // by the whole key
};

/// Through the compiler library, for a processor of `level` ("x86-64-v3"; empty: this machine).
/// Errors: Unsupported where there is none, else its own.
Result<std::vector<uint8_t>> compileNative(const hal::KernelSource &source, std::string_view level);

} // namespace pumice::cpu_driver
