//===- Options.h - how the CPU driver works, by environment or by call -------===//
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
  unsigned threads = 1; // that run workgroups, the one that waits among them
  bool pin = false;     // each worker to a processor of its own
  /// Workers look so long for more work before they sleep.
  std::chrono::microseconds spin{20};
  /// The longest that one launch may take; zero: as long as it likes.
  std::chrono::milliseconds timeout{0};
  /// Pages beside buffers that nothing may touch.
  Guards guards = Guards::None;
  /// Where compiled code is kept; empty: nowhere.
  std::optional<DiskCache> cache;
  /// What the device describes and compiles for.
  HostCpu cpu = hostCpu();
};

using ReadVariable = std::function<const char *(const char *name)>;

/// PUMICE_CPU_THREADS, else the first number of OMP_NUM_THREADS where it is one from 1 to 1024,
/// else `processors`, or what a `quota` (0: none) of processors' time is enough for, rounded up.
/// Errors: InvalidArgument for PUMICE_CPU_THREADS that is no number from 1 to 1024.
Result<unsigned> chooseThreads(const ReadVariable &variable, unsigned processors, double quota);

/// `host`, or what PUMICE_CPU_LEVEL leaves of it. Errors: InvalidArgument, which names the
/// variable, what it asks for, and what the processor runs.
Result<HostCpu> chooseCpu(const ReadVariable &variable, const HostCpu &host);

/// What PUMICE_CPU_… say of the rest, of the processor, and of the threads. Errors:
/// InvalidArgument, with the name.
Result<Options> readOptions(const ReadVariable &variable);

inline constexpr unsigned mostThreads = 1024;

} // namespace pumice::cpu_driver
