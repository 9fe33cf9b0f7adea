//===- KernelLimits.h - does a kernel fit a device's limits, and its layout? ===//
// What executables promise and what code turns out to be are compared with the same limits, by the
// same names, before any driver sees the code: drivers take what is too large, and crash or compute
// nothing.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/DeviceInfo.h"
#include "runtime/hal/Kernel.h"
#include "support/Status.h"

namespace pumice::hal {

/// One workgroup of a kernel. The hints say how it may be smaller; empty: nothing to say.
struct WorkgroupUse {
  std::array<uint32_t, 3> size{1, 1, 1};
  uint64_t memoryBytes = 0;
  std::array<std::string, 3> sizeHints;
  std::string invocationsHint;
  std::string memoryHint;
};

/// What exceeds a limit, each as "workgroups of 2048 along x (maxComputeWorkGroupSize is 1024)".
std::vector<std::string> excessOf(const DeviceLimits &limits, const WorkgroupUse &use);
std::vector<std::string> excessOf(const DeviceLimits &limits, std::span<const BindingSlot> slots);

/// The descriptors that a launch binds.
std::vector<BindingSlot> slotsOf(const executable::Interface &interface);

/// Ok where the device may be given the kernel's code, with its constants, and its bindings.
/// Errors: InvalidArgument for entry points that are not there, workgroups and arrays of nothing,
/// and a layout that lacks a descriptor or push constants that the code uses; Unsupported for more
/// than the device has.
Status meetsLimits(const DeviceInfo &device, const KernelSource &source);

} // namespace pumice::hal
