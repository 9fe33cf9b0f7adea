//===- NativeCache.h - compiles once, in memory and on disk -----------------===//
// Native code for SPIR-V. The compiler library is loaded only if this code has not been compiled
// before, by this process or another. A file on disk contains its whole key, and is used only if
// every byte of the key matches. Thread-safe.
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
  /// Returns the bytes of a shared object, given a source of kind VulkanSpirv.
  using Compile = std::function<Result<std::vector<uint8_t>>(const hal::KernelSource &source)>;

  /// `identity` names the compiler and the processor. Code of another identity is not used.
  NativeCache(std::optional<DiskCache> disk, std::string identity, Compile compile)
      : disk(std::move(disk)), identity(std::move(identity)), compile(std::move(compile)) {}

  /// Returns the compiled code of a source of kind VulkanSpirv. Errors: those of the compiler.
  Result<Ref<NativeModule>> get(const hal::KernelSource &source);

private:
  Ref<NativeModule> find(const std::string &key);
  Ref<NativeModule> readDisk(const std::string &key, const hal::KernelSource &source);
  Ref<NativeModule> keep(std::string key, Ref<NativeModule> module);

  const std::optional<DiskCache> disk;
  const std::string identity;
  const Compile compile;
  ForkSafeMutex mutex;                                           // guards the members below
  std::map<std::string, Ref<NativeModule>, std::less<>> modules; // by the whole key
};

/// Compiles with the compiler library, for a processor of `level` ("x86-64-v3"; empty: this
/// machine). Errors: Unsupported if the library is missing, and the library's own errors.
Result<std::vector<uint8_t>> compileNative(const hal::KernelSource &source, std::string_view level);

} // namespace pumice::cpu_driver
