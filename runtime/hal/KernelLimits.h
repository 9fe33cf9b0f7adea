//===- KernelLimits.h - does a kernel fit a device's limits, and its layout? ===//
// Checks what executables declare, and what their code really uses, against the same limits with
// the same names. This happens before a driver sees the code, because drivers accept code that
// exceeds a limit, and then crash or compute nothing.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/DeviceInfo.h"
#include "runtime/hal/Kernel.h"
#include "support/Status.h"

namespace pumice::hal {

/// One workgroup of a kernel. The hints say how to make it smaller. They may be empty.
struct WorkgroupUse {
  std::array<uint32_t, 3> size{1, 1, 1};
  uint64_t memoryBytes = 0;
  std::array<std::string, 3> sizeHints;
  std::string invocationsHint;
  std::string memoryHint;
};

/// Returns each exceeded limit as a text such as "workgroups of 2048 along x
/// (maxComputeWorkGroupSize is 1024)".
std::vector<std::string> excessOf(const DeviceLimits &limits, const WorkgroupUse &use);
std::vector<std::string> excessOf(const DeviceLimits &limits, std::span<const BindingSlot> slots);

/// Returns the descriptors that a launch binds.
std::vector<BindingSlot> slotsOf(const executable::Interface &interface);

/// Returns ok if the device can run the kernel's code with its constants and bindings. Errors:
/// InvalidArgument for missing entry points, empty workgroups and arrays, and layouts that lack a
/// descriptor or push constants that the code uses. Unsupported if the kernel needs more than the
/// device has.
Status meetsLimits(const DeviceInfo &device, const KernelSource &source);

} // namespace pumice::hal
