//===- NativeCpu.h - the processor that native code is made for -------------===//
#pragma once

#include "support/Status.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <string_view>

namespace pumice::cpu {

/// As LLVM names things.
struct NativeCpu {
  std::string triple;
  std::string name;     // "sapphirerapids"; "x86-64-v3"
  std::string features; // "+avx2,-fma"
  unsigned lanes =
      4; // 32-bit values in a register: the subgroup's size unless a kernel wants another

  bool operator==(const NativeCpu &) const = default;
};

/// The greatest level of x86-64 of which a processor has all features, by LLVM's names for them:
/// "x86-64-v1" to "x86-64-v4". The runtime asks the processor itself for the same ones
/// (runtime/drivers/cpu/HostCpu.cpp).
std::string x86Level(llvm::function_ref<bool(llvm::StringRef feature)> has);

/// This machine.
const NativeCpu &hostCpu();

/// "x86-64-v2", "-v3", "-v4" or "aarch64": what executables may hold code for.
Result<NativeCpu> shippedCpu(std::string_view name);

/// Any of these, or "host".
Result<NativeCpu> namedCpu(std::string_view name);

/// A level by its name, or a processor by LLVM's names, of this machine's architecture; both empty:
/// this machine.
NativeCpu cpuOf(std::string_view name, std::string_view features);

} // namespace pumice::cpu
