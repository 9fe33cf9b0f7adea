//===- NativeCache.h - compiles once, in memory and on disk ---------------===//
// The compiler library turns SPIR-V into native code. It is loaded only if the same code has not
// been compiled before, in this process or another. Files on disk hold their whole key, and are
// used only if every byte of it matches. Thread-safe.
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
  /// Returns the bytes of a shared object for a source of kind VulkanSpirv.
  using Compile = std::function<Result<std::vector<uint8_t>>(const hal::KernelSource &source)>;

  /// `identity` names the compiler and the processor. Code for another identity is different.
  NativeCache(std::optional<DiskCache> disk, std::string identity, Compile compile)
      : disk(std::move(disk)), identity(std::move(identity)), compile(std::move(compile)) {}

  /// Returns the kernel of a source of kind VulkanSpirv. Errors: the compiler's.
  Result<Ref<NativeModule>> get(const hal::KernelSource &source);

private:
  Ref<NativeModule> find(const std::string &key);
  Ref<NativeModule> readDisk(const std::string &key, const hal::KernelSource &source);
  Ref<NativeModule> keep(std::string key, Ref<NativeModule> module);

  const std::optional<DiskCache> disk;
  const std::string identity;
  const Compile compile;
  ForkSafeMutex mutex;                                           // guards the members below
  std::map<std::string, Ref<NativeModule>, std::less<>> modules; // keyed by the whole key
};

/// Compiles with the compiler library, for a processor of `level` ("x86-64-v3"; empty: this
/// machine). Errors: Unsupported without that library, or the library's own.
Result<std::vector<uint8_t>> compileNative(const hal::KernelSource &source, std::string_view level);

} // namespace pumice::cpu_driver
