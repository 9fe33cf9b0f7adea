//===- Launch.h - runs one grid ---------------------------------------------===//
#pragma once

#include "runtime/drivers/cpu/Kernel.h"
#include "runtime/hal/Queue.h"

namespace pumice::cpu_driver {

struct Launching {
  const CpuKernel *kernel;
  executable::NativeLaunch launch;
  const hal::ArgumentMemoryQuery *memory = nullptr; // as hal::Dispatch has it
};

/// Runs all workgroups, on the calling thread alone where waking others would take longer, and
/// returns when the last is done. `launch.cancel` is set here. Errors: DeadlineExceeded from the
/// watchdog, ResourceExhausted, InvalidAccess.
Status runGrid(CpuDevice &device, Launching &launching);

/// Runs launches that do not conflict, whose workgroups share the threads; as `runGrid` otherwise.
Status runGrids(CpuDevice &device, std::span<Launching> launches);
/// Whether that is better than one after the other.
bool worthTogether(const CpuDevice &device, std::span<const Launching> launches);
/// In nanoseconds. For shorter launches, looking for others to run with costs too much. Longer ones
/// gain nothing from it.
inline constexpr double worthJoining = 1e3, tooLongToJoin = 1e9;

/// Estimates how long a launch takes, in nanoseconds of one thread. Guesses if the kernel has not
/// run yet.
double estimateGrid(const CpuKernel &kernel, uint64_t groups);

} // namespace pumice::cpu_driver
