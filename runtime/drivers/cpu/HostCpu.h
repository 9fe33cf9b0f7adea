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
  std::string architecture; // what native variants ask for: "x86-64-v4", "aarch64"
  uint32_t lanes = 4;       // 32-bit values in its widest register, at most 16
  /// AMX for bf16 and for bytes, which this process was allowed to use.
  bool brainTiles = false, byteTiles = false;
  /// Differs wherever code that was compiled for this processor may not run: all that it says about
  /// its instructions.
  std::string fingerprint;
  /// The name of the level that code is compiled for. Empty: this machine, with all its features.
  std::string level;
};

/// Asked once.
const HostCpu &hostCpu();

/// `cpu` as a processor of `level` would be, which has that level's instructions and no others.
/// Errors: InvalidArgument for what names no level, or one above the processor's own.
Result<HostCpu> limitedTo(const HostCpu &cpu, std::string_view level);

} // namespace pumice::cpu_driver
