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
  unsigned threads = 1; // threads that run workgroups, including the one that waits
  bool pin = false;     // binds each worker to a processor of its own
  /// How long workers look for more work before they sleep.
  std::chrono::microseconds spin{20};
  /// The longest time that one launch may take; zero: no limit.
  std::chrono::milliseconds timeout{0};
  /// Places guard pages next to buffers.
  Guards guards = Guards::None;
  /// Keeps compiled code; empty: it is not kept.
  std::optional<DiskCache> cache;
  /// The processor that the device describes and compiles for.
  HostCpu cpu = hostCpu();
};

using ReadVariable = std::function<const char *(const char *name)>;

/// Returns the number of threads. PUMICE_CPU_THREADS comes first, if it is set. Next comes the
/// first number of OMP_NUM_THREADS, if it is from 1 to 1024. Otherwise it is `processors`, but no
/// more than a `quota` of processor time allows, rounded up (0: no quota). Errors: InvalidArgument
/// if PUMICE_CPU_THREADS is not a number from 1 to 1024.
Result<unsigned> chooseThreads(const ReadVariable &variable, unsigned processors, double quota);

/// Returns `host`, or the part of it that PUMICE_CPU_LEVEL allows. Errors: InvalidArgument, which
/// names the variable, its value, and what the processor runs.
Result<HostCpu> chooseCpu(const ReadVariable &variable, const HostCpu &host);

/// Reads the other PUMICE_CPU_… variables, the processor, and the number of threads. Errors:
/// InvalidArgument, which names the variable.
Result<Options> readOptions(const ReadVariable &variable);

inline constexpr unsigned mostThreads = 1024;

} // namespace pumice::cpu_driver
