//===- Launch.h - runs one grid ---------------------------------------------===//
#pragma once

#include "runtime/drivers/cpu/Kernel.h"

namespace pumice::cpu_driver {

/// Runs all workgroups, on the calling thread alone where waking others would take longer, and
/// returns when the last is done. `launch.cancel` is set here. Errors: DeadlineExceeded from the
/// watchdog, ResourceExhausted.
Status runGrid(CpuDevice &device, const CpuKernel &kernel, executable::NativeLaunch &launch);

/// What a launch is thought to take in nanoseconds of one thread; where the kernel has not run yet,
/// a guess.
double estimateGrid(const CpuKernel &kernel, uint64_t groups);

} // namespace pumice::cpu_driver
