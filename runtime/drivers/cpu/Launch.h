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

/// Runs all workgroups, and returns when the last one is done. Uses only the calling thread if
/// waking other threads would take longer. Sets `launch.cancel`. Errors: DeadlineExceeded from the
/// watchdog, ResourceExhausted, InvalidAccess.
Status runGrid(CpuDevice &device, Launching &launching);

/// Runs launches that do not conflict. Their workgroups share the threads. Otherwise, this is like
/// `runGrid`.
Status runGrids(CpuDevice &device, std::span<Launching> launches);
/// Returns whether it is faster to run the launches together than one after the other.
bool worthTogether(const CpuDevice &device, std::span<const Launching> launches);
/// Bounds, in nanoseconds, of launches that may run together. For shorter launches, the search for
/// conflicts costs more than it saves. Longer launches gain nothing.
inline constexpr double worthJoining = 1e3, tooLongToJoin = 1e9;

/// Estimates how long a launch takes, in nanoseconds on one thread. If the kernel has not run yet,
/// this is a guess.
double estimateGrid(const CpuKernel &kernel, uint64_t groups);

} // namespace pumice::cpu_driver
