//===- Choose.h - which variant, on which device ----------------------------===//
// Pure decisions over plain data. Names of targets and devices play no part: a device that did not
// exist when a file was written takes whatever its features suffice for.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/DeviceInfo.h"
#include "runtime/support/Status.h"

#include <span>

namespace pumice::hal {

/// Ok where the device can run `interface` of `variant`; else Unsupported, naming every feature,
/// extension, limit or version that is missing.
Status meets(const DeviceInfo &device, const executable::Variant &variant,
             const executable::EntryPoint &entry, const executable::Interface &interface);

/// The variant and the interface in it that the device should run for one entry point.
struct Choice {
  size_t variant = 0, interface = 0;
};

/// Native code first, then the variant that requires most, then the file's order. Errors:
/// Unsupported, with each variant's reason.
Result<Choice> chooseVariant(const DeviceInfo &device, const executable::Executable &contents,
                             size_t entryPoint);

/// How well a device suits when none was named: a discrete GPU before an integrated one before our
/// CPU device before Vulkan on a CPU. Ties: the order of the list.
int score(const DeviceInfo &device);

/// The index of the best device that meets some variant of every entry point: one that has native
/// code in the file first, then by `score`, then by what the variant uses. Vulkan devices on a CPU
/// are taken only where nothing else can run the file. Errors: NotFound (no device at all),
/// Unsupported with each device's reason.
Result<size_t> chooseDevice(std::span<const DeviceInfo> devices,
                            const executable::Executable &contents);

/// The index of the device that `request` names: an id ("vulkan:1"), a driver ("vulkan", its best),
/// or part of a name ("llvmpipe"); empty: the best by `score`. Errors: NotFound, which lists what
/// there is.
Result<size_t> findDevice(std::span<const DeviceInfo> devices, std::string_view request);

} // namespace pumice::hal
