//===- Options.h - how the CPU driver works, by environment or by call ------===//
#pragma once

#include "runtime/drivers/cpu/HostCpu.h"
#include "runtime/drivers/cpu/Memory.h"
#include "support/DiskCache.h"
#include "support/Status.h"

#include <chrono>
#include <functional>
#include <optional>

namespace pumice::cpu_driver {

struct Options {
  unsigned threads = 1; // threads that run workgroups, including the waiting one
  bool pin = false;     // whether each worker is bound to one processor
  /// The time for which idle workers look for more work before they sleep.
  std::chrono::microseconds spin{20};
  /// The longest time that one launch may take. Zero means no limit.
  std::chrono::milliseconds timeout{0};
  /// Where buffers have guard pages.
  Guards guards = Guards::None;
  /// The cache of compiled code. Without it, compiled code is not kept.
  std::optional<DiskCache> cache;
  /// The processor that the device describes and for which it compiles.
  HostCpu cpu = hostCpu();
};

using ReadVariable = std::function<const char *(const char *name)>;

/// Returns the number of threads. It is PUMICE_CPU_THREADS if that is set. Otherwise, it is the
/// first number in OMP_NUM_THREADS if that is from 1 to 1024. Otherwise, it is `processors`, but no
/// more than the `quota` of processor time, rounded up (0: no quota). Errors: InvalidArgument if
/// PUMICE_CPU_THREADS is not a number from 1 to 1024.
Result<unsigned> chooseThreads(const ReadVariable &variable, unsigned processors, double quota);

/// Returns `host`, restricted to PUMICE_CPU_LEVEL if that is set. Errors: InvalidArgument, which
/// names the variable, its value, and the level of the processor.
Result<HostCpu> chooseCpu(const ReadVariable &variable, const HostCpu &host);

/// Reads the remaining PUMICE_CPU_… variables, the processor, and the number of threads. Errors:
/// InvalidArgument, which names the variable.
Result<Options> readOptions(const ReadVariable &variable);

inline constexpr unsigned mostThreads = 1024;

} // namespace pumice::cpu_driver
