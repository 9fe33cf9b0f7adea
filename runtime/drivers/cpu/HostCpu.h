//===- HostCpu.h - the processor that this process runs on ------------------===//
#pragma once

#include "support/Status.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace pumice::cpu_driver {

/// The suffix of the architectures of this system, whose libraries have their own format.
#if defined(_WIN32)
inline constexpr std::string_view systemSuffix = "-windows";
#elif defined(__APPLE__)
inline constexpr std::string_view systemSuffix = "-macos";
#else
inline constexpr std::string_view systemSuffix = "";
#endif

struct HostCpu {
  std::string name;         // "Intel(R) Xeon(R) Platinum 8488C"
  std::string vendor;       // "Intel"
  std::string architecture; // required by native variants: "x86-64-v4", "aarch64-macos"
  uint32_t lanes = 4;       // 32-bit values in the widest register, at most 16
  /// Whether this process may use AMX for bf16 and for bytes.
  bool brainTiles = false, byteTiles = false;
  /// Identifies the instruction set. It differs between processors that cannot run each other's
  /// code.
  std::string fingerprint;
  /// The name of the level for which code is compiled. Empty means this machine, with all its
  /// features.
  std::string level;
};

/// Returns the processor of this machine, which is examined only once.
const HostCpu &hostCpu();

/// Returns `cpu`, restricted to the instructions of `level`. Errors: InvalidArgument for an unknown
/// level, or a level above that of the processor.
Result<HostCpu> limitedTo(const HostCpu &cpu, std::string_view level);

} // namespace pumice::cpu_driver
