//===- Choose.h - which variant, on which device ----------------------------===//
// Pure decisions over plain data. Names of targets and devices play no part: a device that did not
// exist when a file was written takes whatever its features suffice for.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/DeviceInfo.h"
#include "support/Status.h"

#include <span>

namespace pumice::hal {

/// "does not run vulkan-spirv", and what that would take.
std::string doesNotRun(const DeviceInfo &device, executable::VariantKind kind);

/// Ok where the device can run `interface` of `variant`; else Unsupported, naming every feature,
/// extension, limit or version that is missing, or what the code does that the driver gets wrong.
Status meets(const DeviceInfo &device, const executable::Variant &variant,
             const executable::EntryPoint &entry, const executable::Interface &interface);

/// Whether a device whose best native code is for `device` runs code for `wanted`: "x86-64-v4" runs
/// "x86-64-v3". Names without a level run only themselves.
bool runsArchitecture(std::string_view device, std::string_view wanted);
/// 3 for "x86-64-v3"; 0 for names without a level.
int architectureLevel(std::string_view name);

/// The variant and the interface in it that the device should run for one entry point.
struct Choice {
  size_t variant = 0, interface = 0;
};

/// Among the variants that the device meets:
///   1. native code, for the newest architecture;
///   2. what uses most of the device: the number of extensions, features, subgroup operations,
///      matrix shapes and measured maps that the variant requires;
///   3. the higher API version;
///   4. the kind that the device lists first;
///   5. the file's order.
/// Where it is to be `specialized`, native code is left out: it is as it was
/// compiled: constants have their defaults, accesses are not checked. Errors: Unsupported, with
/// each variant's reason.
Result<Choice> chooseVariant(const DeviceInfo &device, const executable::Executable &contents,
                             size_t entryPoint, bool specialized = false);

/// How well a device suits when none was named: a discrete GPU before an integrated one before our
/// CPU device (it runs native code) before Vulkan on a CPU, and that before our CPU device where it
/// runs native code alone. Ties: the order of the list.
int score(const DeviceInfo &device);

/// The index of the best device that meets some variant of every entry point: one that has native
/// code for every entry point first, then by `score`, then by what the variants use, then the order
/// of the list. Vulkan devices on a CPU are taken only where nothing else can run the file. Errors:
/// NotFound (no device at all), Unsupported with each device's reason.
Result<size_t> chooseDevice(std::span<const DeviceInfo> devices,
                            const executable::Executable &contents);

/// The index of the device that `request` names: an id ("vulkan:1"), a place in the list ("0" is
/// the first), a driver ("vulkan", its best), or part of a name ("llvmpipe": at least three
/// characters with a letter, in any case, from the beginning of a word; the best of those); empty:
/// the best by `score`. Errors: InvalidArgument (nothing but blanks), NotFound, which lists what
/// there is.
Result<size_t> findDevice(std::span<const DeviceInfo> devices, std::string_view request);

} // namespace pumice::hal
