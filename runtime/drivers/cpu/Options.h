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
  /// Places guard pages next to buffers.
  Guards guards = Guards::None;
  /// Where compiled code is kept; empty: nowhere.
  std::optional<DiskCache> cache;
  /// The processor that the device describes and compiles for.
  HostCpu cpu = hostCpu();
};

using ReadVariable = std::function<const char *(const char *name)>;

/// Returns the number of threads: PUMICE_CPU_THREADS, if it is set. Otherwise the first number of
/// OMP_NUM_THREADS, if it is from 1 to 1024. Otherwise `processors`, or the number that a `quota`
/// of processor time (0: none) allows, rounded up. Errors: InvalidArgument if PUMICE_CPU_THREADS is
/// not a number from 1 to 1024.
Result<unsigned> chooseThreads(const ReadVariable &variable, unsigned processors, double quota);

/// `host`, or what PUMICE_CPU_LEVEL leaves of it. Errors: InvalidArgument, which names the
/// variable, what it asks for, and what the processor runs.
Result<HostCpu> chooseCpu(const ReadVariable &variable, const HostCpu &host);

/// Reads the other PUMICE_CPU_… variables, the processor, and the number of threads. Errors:
/// InvalidArgument, which names the variable.
Result<Options> readOptions(const ReadVariable &variable);

inline constexpr unsigned mostThreads = 1024;

} // namespace pumice::cpu_driver
