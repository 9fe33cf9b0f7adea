//===- HostCpu.h - the processor that this process runs on -------------------===//
#pragma once

#include "support/Status.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace pumice::cpu_driver {

struct HostCpu {
  std::string name;         // "Intel(R) Xeon(R) Platinum 8488C"
  std::string vendor;       // "Intel"
  std::string architecture; // required by native variants: "x86-64-v4", "aarch64"
  uint32_t lanes = 4;       // 32-bit values in its widest register, at most 16
  /// AMX for bf16 and for bytes, if this process may use it.
  bool brainTiles = false, byteTiles = false;
  /// Describes all instructions. It differs between processors that cannot run each other's code.
  std::string fingerprint;
  /// The name of the level that code is compiled for. Empty: this machine, with all its features.
  std::string level;
};

/// Returns the processor, which is examined once.
const HostCpu &hostCpu();

/// Returns `cpu` with only the instructions of `level`. Errors: InvalidArgument for an unknown
/// level, or one above the processor's own.
Result<HostCpu> limitedTo(const HostCpu &cpu, std::string_view level);

} // namespace pumice::cpu_driver
