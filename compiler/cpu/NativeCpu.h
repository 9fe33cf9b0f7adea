//===- NativeCpu.h - the processor that native code is made for -------------===//
#pragma once

#include "runtime/support/Status.h"

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

/// This machine.
const NativeCpu &hostCpu();

/// "x86-64-v2", "-v3", "-v4" or "aarch64": what executables may hold code for.
Result<NativeCpu> shippedCpu(std::string_view name);

/// Any of these, or "host".
Result<NativeCpu> namedCpu(std::string_view name);

/// A processor by LLVM's names, of this machine's architecture; both empty: this machine.
NativeCpu cpuOf(std::string_view name, std::string_view features);

} // namespace pumice::cpu
