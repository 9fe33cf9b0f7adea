//===- Choose.h - chooses a variant and a device ----------------------------===//
// These functions decide only by plain data, and ignore the names of targets and devices. So a
// device that did not exist when a file was written can run every variant for which it has the
// features.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/DeviceInfo.h"
#include "support/Status.h"

#include <span>

namespace pumice::hal {

/// Returns a text such as "does not run vulkan-spirv", and what would be needed to run it.
std::string doesNotRun(const DeviceInfo &device, executable::VariantKind kind);

/// Returns ok if the device can run `interface` of `variant`. Otherwise returns Unsupported, which
/// names every missing feature, extension, limit or version, or the operation that the driver
/// computes wrongly.
Status meets(const DeviceInfo &device, const executable::Variant &variant,
             const executable::EntryPoint &entry, const executable::Interface &interface);

/// Returns whether a device whose best native code is for `device` can also run code for `wanted`.
/// For example, "x86-64-v4" runs "x86-64-v3". A name without a level only runs itself.
bool runsArchitecture(std::string_view device, std::string_view wanted);
/// Returns the level of a name: 3 for "x86-64-v3", and 0 for a name without a level.
int architectureLevel(std::string_view name);

/// The variant, and the interface in it, that the device should run for an entry point.
struct Choice {
  size_t variant = 0, interface = 0;
};

/// Chooses among the variants that the device can run. The rules, in this order, prefer:
///   1. native code, for the newest architecture;
///   2. the variant that uses most of the device: the number of extensions, features, subgroup
///      operations, matrix shapes and measured maps that it requires;
///   3. the kind that the device lists first;
///   4. the higher version of the API;
///   5. the variant that comes first in the file.
/// If the code is to be `specialized`, native code is excluded. It cannot change after compilation:
/// its constants have their defaults, and its accesses are not checked. Errors: Unsupported, with a
/// reason for each variant.
Result<Choice> chooseVariant(const DeviceInfo &device, const executable::Executable &contents,
                             size_t entryPoint, bool specialized = false);

/// Returns how much a device is preferred if the user names none. The order is: a discrete GPU, an
/// integrated GPU, our CPU device, Vulkan on a CPU. Our CPU device comes last if it only runs
/// native code. Devices with equal scores stay in the order of the list.
int score(const DeviceInfo &device);

/// Returns the index of the best device that can run some variant of every entry point. Devices
/// with native code for every entry point come first. After that, `score` decides, then how much
/// the variants use, and then the order of the list. Vulkan devices on a CPU are chosen only if no
/// other device can run the file. OpenCL devices on a CPU are never chosen. Errors: NotFound if
/// there are no devices; Unsupported with a reason for each device.
Result<size_t> chooseDevice(std::span<const DeviceInfo> devices,
                            const executable::Executable &contents);

/// Returns the index of the device that `request` names. A request is one of these:
///   an id ("vulkan:1");
///   an index in the list ("0" is the first);
///   a driver ("vulkan": its best device);
///   part of a name ("llvmpipe": at least three characters with a letter, in any case, from the
///   beginning of a word; the best such device);
///   empty: the best by `score`, without OpenCL devices on a CPU.
/// Errors: InvalidArgument (only blanks), NotFound, which lists the devices.
Result<size_t> findDevice(std::span<const DeviceInfo> devices, std::string_view request);

} // namespace pumice::hal
