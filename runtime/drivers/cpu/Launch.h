//===- Launch.h - runs one grid ---------------------------------------------===//
#pragma once

#include "runtime/drivers/cpu/Kernel.h"
#include "runtime/hal/Queue.h"

namespace pumice::cpu_driver {

struct Launching {
  const CpuKernel *kernel;
  executable::NativeLaunch launch;
  const hal::ArgumentMemoryQuery *memory = nullptr; // as in hal::Dispatch
};

/// Runs all workgroups and returns when the last is done. Uses only the calling thread if waking
/// others would take longer. Sets `launch.cancel`. Errors: DeadlineExceeded from the watchdog,
/// ResourceExhausted, InvalidAccess.
Status runGrid(CpuDevice &device, Launching &launching);

/// Runs launches that do not conflict, and whose workgroups share the threads. Otherwise like
/// `runGrid`.
Status runGrids(CpuDevice &device, std::span<Launching> launches);
/// Returns whether running the launches together is faster than one after the other.
bool worthTogether(const CpuDevice &device, std::span<const Launching> launches);
/// Bounds in nanoseconds for launches that may run together. For shorter ones, the search costs
/// more than it saves, and longer ones gain nothing.
inline constexpr double worthJoining = 1e3, tooLongToJoin = 1e9;

/// Estimates how long a launch takes, in nanoseconds of one thread. Guesses if the kernel has not
/// run yet.
double estimateGrid(const CpuKernel &kernel, uint64_t groups);

} // namespace pumice::cpu_driver
