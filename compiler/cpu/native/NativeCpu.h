//===- NativeCpu.h - the processor that native code targets -----------------===//
#pragma once

#include "support/Status.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <string_view>

namespace llvm {
class Triple;
} // namespace llvm

namespace pumice::cpu {

/// A processor, described in LLVM's terms.
struct NativeCpu {
  std::string triple;
  std::string name;     // "sapphirerapids"; "x86-64-v3"
  std::string features; // "+avx2,-fma"
  unsigned lanes =
      4; // 32-bit values in a register: the subgroup's size unless a kernel requires another

  bool operator==(const NativeCpu &) const = default;
};

/// Returns the highest x86-64 level, from "x86-64-v1" to "x86-64-v4", whose features the processor
/// has. `has` takes LLVM's names of features. The runtime determines the same level from the
/// processor itself (runtime/drivers/cpu/HostCpu.cpp).
std::string x86Level(llvm::function_ref<bool(llvm::StringRef feature)> has);

/// Returns the processor of this machine.
const NativeCpu &hostCpu();

/// Returns a processor for which executables may contain code, by one of the names in
/// target::processors: "x86-64-v3", "aarch64-macos".
Result<NativeCpu> shippedCpu(std::string_view name);

/// Returns a processor that `shippedCpu` knows, or the processor of this machine for "host".
Result<NativeCpu> namedCpu(std::string_view name);

/// Returns the suffix of the names of processors on a system: "-windows", "-macos", or nothing for
/// Linux.
std::string_view systemSuffix(const llvm::Triple &triple);

/// Returns a processor that `shippedCpu` knows. If `name` is another of LLVM's names, returns that
/// processor of this machine's architecture. If both arguments are empty, returns this machine's
/// processor.
NativeCpu cpuOf(std::string_view name, std::string_view features);

} // namespace pumice::cpu
